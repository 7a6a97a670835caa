import { EdgeloomError } from '../errors.ts';
import { type Item, setOwn } from '../items/attribute-value.ts';
import { describe, parseNodeId } from '../items/keys.ts';
import { type ExactNumber, toPlainItem } from '../items/plain.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { checkOptions } from '../options.ts';
import type { OwnWrites } from '../session/own-writes.ts';
import { gatherInbound, INBOUND_OPTIONS, type InboundQuery, inboundQuery } from './lists/inbound.ts';
import { type AttributeSelection, plainViewAttributes, readAttributes, readNodes, readViews } from './nodes/views.ts';
import { type PagePlan, planPage, selectedNames } from './page-plan.ts';
import { type ReadContext, refuseConsistent } from './request/context.ts';
import { findEdge, findOrder } from './request/lookup.ts';
import type { OrderValue } from './request/order-argument.ts';
import { ownWrites, unknownOwnWrites } from './request/own.ts';
import {
  type EdgeSetEntry,
  type NodeResult,
  type Page,
  pick,
  projectedAttributes,
  sourceOf,
} from './request/result.ts';

/** The value of a label in a `with`; it is compared by its text, so `39` and `'39'` are alike. */
export type LabelValue = string | number | bigint | boolean | ExactNumber;

/** Edges whose targets a page shows: those of a type, or of them those of which any label has a value. */
export type WithEdges<EdgeType = string> = EdgeType | { type: EdgeType; label?: LabelValue };

/** Options of `page`: those of `inbound`, and which neighbours to read. */
export interface PageOptions<
  EdgeType = string,
  OrderName extends string = string,
  Value = OrderValue,
  Attributes = Record<string, unknown>,
  Selection extends AttributeSelection | undefined = AttributeSelection | undefined,
  EdgeSets extends boolean = boolean,
  Path = readonly OrderValue[],
> extends Omit<InboundQuery<OrderName, Value, boolean, Attributes, Path>, 'owner'> {
  /**
   * Attributes of the nodes: `'ALL'`, or those named. Default: those that their views show. Others are read from the nodes
   * themselves, at one step more.
   */
  attributes?: Selection | undefined;
  /**
   * Whether the nodes come with their edge sets, and with the neighbours that those name. Without them, and with attributes
   * that the index items hold of the edges' sources, the page is the Query alone. Default true.
   */
  edgeSets?: EdgeSets | undefined;
  /** Default: every edge of the edge sets. */
  with?: readonly WithEdges<EdgeType>[] | undefined;
}

/** A page: nodes with their edge sets, and the neighbours that those name. */
export interface PageResult<Node = NodeResult, Nodes = Record<string, Record<string, unknown> | null>>
  extends Page<Node> {
  /**
   * Attributes by node id, those that the view shows; null for a neighbour that does not exist. Of a neighbour to which all
   * shown edges have a copy, the copied attributes only: it is not read.
   */
  nodes: Nodes;
  /** DynamoDB calls made. */
  calls: number;
}

/** A node of a page as it is made: with an edge set where those are asked for. */
type NodeOfPage = Pick<NodeResult, 'id' | 'attributes'> & Partial<Pick<NodeResult, 'edgeSet'>>;

/** A page in three steps, two, or one: see `Reader.page`. */
export async function readPage(
  context: ReadContext,
  edgeType: string,
  target: string,
  options: PageOptions = {},
): Promise<PageResult<NodeOfPage>> {
  checkOptions('page', options, { ...INBOUND_OPTIONS, with: true, attributes: true, edgeSets: true });
  refuseConsistent(options.consistent, 'page');
  if ('owner' in options && options.owner === true) {
    const hint = 'Ask inbound for the owner, or get for the node.';
    throw new EdgeloomError('invalid-argument', 'A page has no owner.', hint);
  }
  const wanted = options.with === undefined ? undefined : wantedEdges(context.graph, options.with);
  const plan = pagePlan(context.graph, edgeType, options);
  const query = inboundQuery(context, edgeType, target, options);
  const own = await ownWrites(context, () => true);
  const { gathered, cursor } = await gatherInbound(context, query, options, ['page', wanted], own);
  const { items, nodes, calls } = await nodesOfPage(context, gathered.items, plan, options, wanted, own);
  const next = cursor === undefined ? {} : { cursor };
  return { items, nodes, calls: own.calls + gathered.calls + calls, ...next, ...unknownOwnWrites(context) };
}

/** The steps of a page, with the reason for each. Throws for what the model does not declare. */
export function pagePlan(graph: CompiledModel, edgeType: string, options: PageOptions): PagePlan {
  const { attributes, edgeSets = true } = options;
  const edge = findEdge(graph, edgeType);
  findOrder(edge, options.order);
  const wanted = options.with === undefined ? undefined : wantedEdges(graph, options.with);
  if (!edgeSets && wanted !== undefined && wanted.length > 0) {
    const hint = 'Leave out edgeSets: false, or with.';
    throw new EdgeloomError('invalid-argument', 'with names neighbours, which only edge sets tell.', hint);
  }
  const neighbours = wanted?.map(({ type }) => findEdge(graph, type));
  return planPage(graph, { edge, attributes, edgeSets, neighbours });
}

/** The nodes of a page by its index items, and their neighbours. */
async function nodesOfPage(
  context: ReadContext,
  rows: readonly Item[],
  { isInIndex }: PagePlan,
  { attributes, edgeSets = true }: PageOptions,
  wanted: readonly WantedEdges[] | undefined,
  own: OwnWrites,
): Promise<{ items: NodeOfPage[]; nodes: PageResult['nodes']; calls: number }> {
  const ids = rows.map((row) => sourceOf(context, row));
  if (isInIndex) {
    const items = rows.map((row, i) => ({ id: ids[i]!, attributes: sourceAttributes(context, row, attributes) }));
    return { items, nodes: {}, calls: 0 };
  }
  if (!edgeSets) {
    const read = await readAttributes(context, ids, attributes, own);
    return { items: ids.map((id, i) => ({ id, attributes: read.attributes[i]! })), nodes: {}, calls: read.calls };
  }
  const { nodes: items, calls } = await readNodes(context, ids, { attributes }, own);
  const entries = items.flatMap(({ edgeSet }) => edgeSet);
  const shown =
    wanted === undefined ? entries : entries.filter((entry) => wanted.some((edges) => matches(entry, edges)));
  const neighbours = await readNeighbours(context, own, shown);
  return { items, nodes: neighbours.nodes, calls: calls + neighbours.calls };
}

/** What an index item holds of the source node, of what is asked for. */
function sourceAttributes(
  context: ReadContext,
  row: Item,
  attributes: AttributeSelection | undefined,
): Record<string, unknown> {
  const type = parseNodeId(sourceOf(context, row))?.type ?? '';
  const names = selectedNames(context.graph, type, attributes);
  return toPlainItem(names === 'ALL' ? {} : pick(projectedAttributes(row) ?? {}, names), context.readNumber);
}

/** The targets of edges: by their copies where each edge to a node has one, by their views otherwise. */
async function readNeighbours(
  context: ReadContext,
  own: OwnWrites,
  entries: readonly EdgeSetEntry[],
): Promise<Pick<PageResult, 'nodes' | 'calls'>> {
  const copies = new Map<string, Record<string, unknown>>();
  const unknown = new Set<string>();
  for (const { target, copy } of entries) {
    copies.set(target, { ...copies.get(target), ...copy });
    if (copy === undefined) unknown.add(target);
  }
  const views = await readViews(context, unknown, false, own);
  const nodes: PageResult['nodes'] = {};
  for (const [id, copy] of copies) {
    setOwn(nodes, id, unknown.has(id) ? plainViewAttributes(context, views.items.get(id)) : copy);
  }
  return { nodes, calls: views.calls };
}

/** A `with`, checked; the label as text. */
interface WantedEdges {
  type: string;
  label?: string;
}

function wantedEdges(graph: CompiledModel, entries: readonly WithEdges[]): WantedEdges[] {
  return entries.map((entry) => {
    const { type, label } = typeof entry === 'string' ? { type: entry, label: undefined } : entry;
    const edge = findEdge(graph, type);
    if (edge.labels === undefined) {
      throw new EdgeloomError(
        'not-in-edge-set',
        `Edges of type ${type} are left out of the edge set, so a page cannot read their targets.`,
        `Give edges.${type} an edgeSet in the model, or read them with edges.`,
      );
    }
    if (label === undefined) return { type };
    const text = labelText(label);
    if (text !== undefined) return { type, label: text };
    throw new EdgeloomError('invalid-argument', `The label of with should be a scalar, but is ${describe(label)}.`);
  });
}

function matches(entry: EdgeSetEntry, { type, label }: WantedEdges): boolean {
  if (entry.type !== type) return false;
  if (label === undefined) return true;
  const { type: _type, target: _target, copy: _copy, ...labels } = entry;
  return Object.values(labels).some((value) => labelText(value) === label);
}

/** The text that a label is compared by; undefined for null and binary. Numbers come in the form of any `readNumber`. */
function labelText(value: unknown): string | undefined {
  if (value === null || value === undefined || value instanceof Uint8Array) return undefined;
  return String(value);
}
