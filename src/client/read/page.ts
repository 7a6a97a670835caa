import type { Item } from '../../core/items/attribute-value.ts';
import { parseNodeId } from '../../core/items/keys.ts';
import { toPlainItem } from '../../core/items/plain.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { checkOptions } from '../../foundation/options.ts';
import { Spending } from '../call/capacity.ts';
import type { OwnWrites } from '../session/own-writes.ts';
import { levelsOf, type WithEdges, type WithLevel } from './levels/level.ts';
import { type LevelsRead, LevelWalk, type Truncated } from './levels/level-walk.ts';
import type { AnyPageNode } from './levels/page-tree.ts';
import { Budget, LEAST_RCU } from './lists/budget.ts';
import { type ResolvedInbound, readInboundItems, resolveInboundQuery, withMaxRcu } from './lists/inbound.ts';
import { INBOUND_QUERY_OPTIONS, type InboundQuery } from './lists/inbound-query.ts';
import { type AttributeSelection, type NodesRead, readAttributes, readNodes } from './nodes/views.ts';
import { type PagePlan, planPage, selectedNames } from './page-plan.ts';
import { LivingStore } from './request/living-store.ts';
import { findEdge, findOrder } from './request/lookup.ts';
import type { OrderValue } from './request/order-argument.ts';
import { noticeOfOwnWrites, readRelevantOwnWrites } from './request/own.ts';
import { checkLimit, type ReadContext, refuseConsistent } from './request/read-context.ts';
import { type Page, pickAttributes, projectedAttributes, sourceOf, type View } from './request/result.ts';

/** The neighbors that a page shows. */
export type PageLevels = readonly (WithEdges | WithLevel)[];

/** Options of `page`. */
export interface PageOptions<
  OrderName extends string = string,
  Value = OrderValue,
  Attributes = Record<string, unknown>,
  Selection extends AttributeSelection | undefined = AttributeSelection | undefined,
  Path = readonly OrderValue[],
  With = PageLevels,
  Whole = Value,
  Part = OrderValue,
> extends Omit<InboundQuery<OrderName, Value, boolean, Attributes, Path, Whole, Part>, 'includeTarget'> {
  /** Attributes of the nodes. If a type's view lacks any of them, all are read from the nodes. Default: the views'. */
  attributes?: Selection | undefined;
  /**
   * The neighbors to show, up to 5 levels deep. Default: those in the edge sets. If it's `[]`, a page may take only one
   * Query.
   */
  with?: With | undefined;
  /** Maximum neighbors to return, at least 1. Default: 1,000, or unlimited for a single level of edge sets. */
  maxNodes?: number | undefined;
}

/** A page of nodes with their neighbors. */
export interface PageResult<Node = AnyPageNode> extends Page<Node> {
  /** Neighbors that a bound left out. */
  truncated?: Truncated;
  calls: number;
}

export async function readPage(
  given: ReadContext,
  target: string,
  edgeType: string,
  options: PageOptions = {},
): Promise<PageResult> {
  checkOptions('page', options, { ...INBOUND_QUERY_OPTIONS, with: true, maxNodes: 'checked', attributes: true });
  refuseConsistent(options.consistent, 'page');
  if ('includeTarget' in options && options.includeTarget === true) {
    const hint = 'Ask inbound for the target, or getView for the node.';
    throw new EdgeloomError('invalid-argument', 'page takes no option includeTarget.', hint);
  }
  const counted = new Spending(given.stored);
  const context = { ...given, store: given.store instanceof LivingStore ? given.store.over(counted) : counted };
  const plan = pagePlan(context.graph, edgeType, options);
  const query = resolveInboundQuery(context, target, edgeType, options);
  const own = await readRelevantOwnWrites(context, () => true);
  const { read, cursor } = await readRows(context, query, options, { plan, own });
  const { items, truncated }: LevelsRead =
    plan.levels.length === 0
      ? { items: read.nodes.map(({ id, attributes }) => ({ id, attributes })) }
      : await new LevelWalk(context, own, read, plan.maxNodes).run(plan.levels);
  // Without `with`, each node shows `edges`, even if no type has an edge set.
  const isEmpty = options.with === undefined && plan.levels.length === 0;
  return {
    items: isEmpty ? items.map((node) => ({ ...node, edges: {} })) : items,
    ...(truncated && { truncated }),
    ...(cursor !== undefined && { cursor }),
    calls: counted.calls,
    ...noticeOfOwnWrites(context),
  };
}

const SHARE_OF_ROWS = 0.5;

interface RowsRead {
  read: NodesRead;
  cursor: string | undefined;
}

async function readRows(
  context: ReadContext,
  query: ResolvedInbound,
  options: PageOptions,
  { plan, own }: { plan: PagePlan; own: OwnWrites },
): Promise<RowsRead> {
  const { spending } = context;
  const readSome = async (some: ResolvedInbound, page: PageOptions): Promise<RowsRead> => {
    const { items: rows, cursor } = await readInboundItems(context, some, page, { read: 'page', own });
    return { read: await readNodesOfRows(context, rows, plan, options, own), cursor };
  };
  return spending === undefined
    ? await readSome(query, options)
    : await readRowsWithin(spending, query, options, plan, readSome);
}

/** Reads a few edges and their nodes at a time, so that the page can end after any of them. */
async function readRowsWithin(
  spending: Spending,
  query: ResolvedInbound,
  options: PageOptions,
  plan: PagePlan,
  readSome: (query: ResolvedInbound, page: PageOptions) => Promise<RowsRead>,
): Promise<RowsRead> {
  const limit = checkLimit(options.limit);
  const most = spending.left * (plan.levels.length === 0 ? 1 : SHARE_OF_ROWS);
  const kept = spending.left - most;
  const left = (): number => spending.left - kept;
  const { partitions, maxRcu = Number.POSITIVE_INFINITY } = query.list;
  const nodes: View[] = [];
  const views = new Map<string, Item>();
  const budget = new Budget(most);
  let { cursor } = options;
  do {
    const missing = limit - nodes.length;
    const before = spending.rcu;
    const some = plan.isInIndex
      ? await readSome(withMaxRcu(query, left()), { ...options, cursor, limit: missing })
      : await readSome(withMaxRcu(query, Math.min(maxRcu, left() / 2)), {
          ...options,
          cursor,
          limit: Math.max(1, Math.min(missing, budget.itemsOfCall(1))),
        });
    nodes.push(...some.read.nodes);
    for (const [id, view] of some.read.views) views.set(id, view);
    cursor = some.cursor;
    budget.spend(spending.rcu - before, some.read.nodes.length);
  } while (cursor !== undefined && nodes.length < limit && left() > LEAST_RCU * partitions.length);
  return { read: { nodes, views }, cursor };
}

export function pagePlan(graph: CompiledModel, edgeType: string, options: PageOptions): PagePlan {
  const edge = findEdge(graph, edgeType);
  findOrder(edge, options.order);
  const levels = levelsOf(graph, options.with, edge.from);
  const isBounded = levels.some(({ by, with: below }) => by !== 'edge set' || below.length > 0);
  const maxNodes = checkLimit(options.maxNodes, 'maxNodes', isBounded ? MAX_NODES : Number.POSITIVE_INFINITY);
  const isAlone = options.with !== undefined && levels.length === 0;
  return planPage(graph, { edge, attributes: options.attributes, levels, maxNodes, isAlone });
}

export const MAX_NODES = 1_000;

async function readNodesOfRows(
  context: ReadContext,
  rows: readonly Item[],
  { isInIndex, levels }: PagePlan,
  { attributes }: PageOptions,
  own: OwnWrites,
): Promise<NodesRead> {
  const ids = rows.map((row) => sourceOf(context, row));
  if (!isInIndex && levels.length > 0) return await readNodes(context, ids, { attributes }, own);
  const shown = isInIndex
    ? rows.map((row) => sourceAttributes(context, row, attributes))
    : await readAttributes(context, ids, attributes, own);
  return { nodes: ids.map((id, i) => ({ id, attributes: shown[i]!, edgeSet: [] })), views: new Map() };
}

function sourceAttributes(
  context: ReadContext,
  row: Item,
  attributes: AttributeSelection | undefined,
): Record<string, unknown> {
  const type = parseNodeId(sourceOf(context, row))?.type ?? '';
  const names = selectedNames(context.graph, type, attributes);
  return toPlainItem(names === 'ALL' ? {} : pickAttributes(projectedAttributes(row) ?? {}, names), context.readNumber);
}
