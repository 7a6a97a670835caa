import type { Item } from '../../core/items/attribute-value.ts';
import { parseNodeId } from '../../core/items/keys.ts';
import { toPlainItem } from '../../core/items/plain.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { checkOptions } from '../../foundation/options.ts';
import type { OwnWrites } from '../session/own-writes.ts';
import { levelsOf, type WithEdges, type WithLevel } from './levels/level.ts';
import { type LevelsRead, readLevels, type Truncated } from './levels/level-walk.ts';
import type { AnyPageNode } from './levels/page-tree.ts';
import { gatherInbound, INBOUND_OPTIONS, type InboundQuery, resolveInboundQuery } from './lists/inbound.ts';
import { type AttributeSelection, readAttributes, readNodes } from './nodes/views.ts';
import { type PagePlan, planPage, selectedNames } from './page-plan.ts';
import { checkLimit, type ReadContext, refuseConsistent } from './request/context.ts';
import { findEdge, findOrder } from './request/lookup.ts';
import type { OrderValue } from './request/order-argument.ts';
import { noticeOfOwnWrites, readRelevantOwnWrites } from './request/own.ts';
import { type Page, pickAttributes, projectedAttributes, sourceOf } from './request/result.ts';

/** The levels next to the nodes of a page. */
export type PageLevels = readonly (WithEdges | WithLevel)[];

/** Options of `page`: those of `inbound`, and which neighbours to read. */
export interface PageOptions<
  OrderName extends string = string,
  Value = OrderValue,
  Attributes = Record<string, unknown>,
  Selection extends AttributeSelection | undefined = AttributeSelection | undefined,
  Path = readonly OrderValue[],
  With = PageLevels,
> extends Omit<InboundQuery<OrderName, Value, boolean, Attributes, Path>, 'includeTarget'> {
  /**
   * Attributes of the nodes: `'ALL'`, or those named. Default: those that their views show. Others are read from the nodes
   * themselves, at one step more.
   */
  attributes?: Selection | undefined;
  /**
   * The neighbours to show. An entry's own `with` names the neighbours of those, up to 5 levels deep. Default: the neighbours that the
   * edge sets name. With none, `[]`, and attributes that the index items hold of the edges' sources, the page is the Query alone.
   */
  with?: With | undefined;
  /** Neighbours to show, on all levels together, 1 and up. Default 1,000, and no bound for one level of edge sets. */
  maxNodes?: number | undefined;
}

/** A page: nodes, each with its neighbours. */
export interface PageResult<Node = AnyPageNode> extends Page<Node> {
  /** Neighbours that a bound left out. */
  truncated?: Truncated;
  /** DynamoDB calls made. */
  calls: number;
}

/** A page in three steps, two, or one: see `Reader.page`. */
export async function readPage(
  context: ReadContext,
  edgeType: string,
  target: string,
  options: PageOptions = {},
): Promise<PageResult> {
  checkOptions('page', options, { ...INBOUND_OPTIONS, with: true, maxNodes: true, attributes: true });
  refuseConsistent(options.consistent, 'page');
  if ('includeTarget' in options && options.includeTarget === true) {
    const hint = 'Ask inbound for the target, or getView for the node.';
    throw new EdgeloomError('invalid-argument', 'page takes no option includeTarget.', hint);
  }
  const plan = pagePlan(context.graph, edgeType, options);
  const query = resolveInboundQuery(context, edgeType, target, options);
  const own = await readRelevantOwnWrites(context, () => true);
  const { gathered, cursor } = await gatherInbound(context, query, options, 'page', own);
  const read = await readNodesOfPage(context, gathered.items, plan, options, own);
  const next = cursor === undefined ? {} : { cursor };
  // Without `with` a node has the edges of its set, also where no edge type is in a set.
  const isEmpty = options.with === undefined && plan.levels.length === 0;
  const items = isEmpty ? read.items.map((node) => ({ ...node, edges: {} })) : read.items;
  return { ...read, items, calls: own.calls + gathered.calls + read.calls, ...next, ...noticeOfOwnWrites(context) };
}

/** The steps of a page, with the reason for each. Throws for what the model does not declare. */
export function pagePlan(graph: CompiledModel, edgeType: string, options: PageOptions): PagePlan {
  const edge = findEdge(graph, edgeType);
  findOrder(edge, options.order);
  const levels = levelsOf(graph, options.with, edge.from);
  const isBounded = levels.some(({ by, with: below }) => by !== 'edge set' || below.length > 0);
  const maxNodes = checkLimit(options.maxNodes, 'maxNodes', isBounded ? MAX_NODES : Number.POSITIVE_INFINITY);
  const isAlone = options.with !== undefined && levels.length === 0;
  return planPage(graph, { edge, attributes: options.attributes, levels, maxNodes, isAlone });
}

/** Neighbours that a page with levels shows where nothing else is asked for. */
export const MAX_NODES = 1_000;

/** The nodes of a page by its index items, and their neighbours. */
async function readNodesOfPage(
  context: ReadContext,
  rows: readonly Item[],
  { isInIndex, levels, maxNodes }: PagePlan,
  { attributes }: PageOptions,
  own: OwnWrites,
): Promise<LevelsRead> {
  const ids = rows.map((row) => sourceOf(context, row));
  if (isInIndex) {
    const items = rows.map((row, i) => ({ id: ids[i]!, attributes: sourceAttributes(context, row, attributes) }));
    return { items, calls: 0 };
  }
  if (levels.length === 0) {
    const read = await readAttributes(context, ids, attributes, own);
    return { items: ids.map((id, i) => ({ id, attributes: read.attributes[i]! })), calls: read.calls };
  }
  const read = await readNodes(context, ids, { attributes }, own);
  const neighbours = await readLevels(context, own, read, levels, maxNodes);
  return { ...neighbours, calls: read.calls + neighbours.calls };
}

/** The attributes asked for that an index item holds of the source node. */
function sourceAttributes(
  context: ReadContext,
  row: Item,
  attributes: AttributeSelection | undefined,
): Record<string, unknown> {
  const type = parseNodeId(sourceOf(context, row))?.type ?? '';
  const names = selectedNames(context.graph, type, attributes);
  return toPlainItem(names === 'ALL' ? {} : pickAttributes(projectedAttributes(row) ?? {}, names), context.readNumber);
}
