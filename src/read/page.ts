import { EdgeloomError } from '../errors.ts';
import { setOwn } from '../items/attribute-value.ts';
import { describe } from '../items/keys.ts';
import type { ExactNumber } from '../items/plain.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { checkOptions } from '../options.ts';
import type { OwnWrites } from '../session/own-writes.ts';
import { gatherInbound, INBOUND_OPTIONS, type InboundQuery, inboundQuery } from './lists/inbound.ts';
import { plainViewAttributes, readNodes, readViews } from './nodes/views.ts';
import { type ReadContext, refuseConsistent } from './request/context.ts';
import { findEdge } from './request/lookup.ts';
import type { OrderValue } from './request/order-argument.ts';
import { ownWrites, unknownOwnWrites } from './request/own.ts';
import { type EdgeSetEntry, type NodeResult, type Page, sourceOf } from './request/result.ts';

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
> extends Omit<InboundQuery<OrderName, Value, boolean, Attributes>, 'owner'> {
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

/** A page in three steps, or in two: see `Reader.page`. */
export async function readPage(
  context: ReadContext,
  edgeType: string,
  target: string,
  options: PageOptions = {},
): Promise<PageResult> {
  checkOptions('page', options, { ...INBOUND_OPTIONS, with: true });
  refuseConsistent(options.consistent, 'page');
  if ('owner' in options && options.owner === true) {
    const hint = 'Ask inbound for the owner, or get for the node.';
    throw new EdgeloomError('invalid-argument', 'A page has no owner.', hint);
  }
  const wanted = options.with === undefined ? undefined : wantedEdges(context.graph, options.with);
  const query = inboundQuery(context, edgeType, target, options);
  const own = await ownWrites(context, () => true);
  const { gathered, cursor } = await gatherInbound(context, query, options, ['page', wanted], own);
  const ids = gathered.items.map((item) => sourceOf(context, item));
  const { nodes: items, calls } = await readNodes(context, ids, {}, own);
  const entries = items.flatMap(({ edgeSet }) => edgeSet);
  const neighbours = await readNeighbours(
    context,
    own,
    wanted === undefined ? entries : entries.filter((entry) => wanted.some((edges) => matches(entry, edges))),
  );
  const total = own.calls + gathered.calls + calls + neighbours.calls;
  const next = cursor === undefined ? {} : { cursor };
  return { items, nodes: neighbours.nodes, calls: total, ...next, ...unknownOwnWrites(context) };
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
