import { EdgeloomError } from '../errors.ts';
import type { EdgeModel } from '../model/compile.ts';
import type { IndexName } from '../model/graph.ts';
import { inboundPartition, inboundPartitions } from '../model/index-partition.ts';
import { checkLimit, type ReadContext, refuseConsistent } from './context.ts';
import { type CursorBinding, decodeCursor, encodeCursor } from './cursor.ts';
import type { KeyRange } from './key-range.ts';
import { findEdge, findOrder, targetKey } from './lookup.ts';
import { encodeArgument, equalRange, type OrderOfQuery, type OrderValue, valueRange } from './order-argument.ts';
import { type EdgeResult, indexAttributes, type Page, sourceOf } from './result.ts';
import { type Gathered, scatter } from './scatter.ts';

/** Which incoming edges, in which order. At most one of `equals`, `atLeast` and the pair `from`, `to`. */
export interface InboundOptions {
  /** Which of the edge type's orders. Default: the first declared. */
  order?: IndexName;
  /** Of a rank: every label of at least this label's weight. Of other orders: as `from`. */
  atLeast?: OrderValue;
  /** Of a rank: this label. Of other orders: this value. */
  equals?: OrderValue;
  /** The lowest value, inclusive; of a rank, a label. */
  from?: OrderValue;
  /** The highest value, inclusive; of a rank, a label. */
  to?: OrderValue;
  /** Descending. Default false. */
  reverse?: boolean;
  /** Edges in a page, 1 and up. Default 100. */
  limit?: number;
  /** The `cursor` of the page before. */
  cursor?: string;
  /** Refused where true: DynamoDB has no consistent reads of an index. */
  consistent?: boolean;
}

/** Incoming edges, one page: see `Reader.inbound`. */
export async function readInbound(
  context: ReadContext,
  edgeType: string,
  target: string,
  options: InboundOptions = {},
): Promise<Page<EdgeResult>> {
  refuseConsistent(options.consistent, 'inbound');
  const query = inboundQuery(context, edgeType, target, options);
  const { gathered, cursor } = await gatherInbound(context, query, options, []);
  const items = gathered.items.map((item) => ({
    source: sourceOf(context, item),
    type: edgeType,
    target,
    attributes: indexAttributes(context, item),
  }));
  return { items, ...(cursor !== undefined && { cursor }) };
}

/** What an inbound query asks, encoded. */
export interface InboundQuery {
  edge: EdgeModel;
  index: IndexName;
  partitions: string[];
  range: KeyRange;
  reverse: boolean;
  binding: readonly unknown[];
}

/** Encodes an inbound query; throws for whatever the model does not declare. */
export function inboundQuery(
  { graph }: ReadContext,
  edgeType: string,
  target: string,
  options: InboundOptions,
): InboundQuery {
  const edge = findEdge(graph, edgeType);
  const { inbound, index, order } = findOrder(edge, options.order);
  const sortKey = targetKey(edge, target);
  const ordered: OrderOfQuery = { order, fold: false, name: `order ${index} of ${edgeType}` };
  const equals = options.equals === undefined ? undefined : encodeArgument(ordered, options.equals, 'equals');
  const range = inboundRange(ordered, equals, options);
  const oneShard = equals !== undefined && inbound.shardBy === 'value';
  const partitions = oneShard ? [inboundPartition(inbound, sortKey, equals, '')] : inboundPartitions(inbound, sortKey);
  const reverse = options.reverse ?? false;
  return { edge, index, partitions, range, reverse, binding: [sortKey, index, range.from, range.to, reverse] };
}

function inboundRange(ordered: OrderOfQuery, equals: string | undefined, options: InboundOptions): KeyRange {
  const { atLeast, from, to } = options;
  const predicates = [equals !== undefined, atLeast !== undefined, from !== undefined || to !== undefined];
  if (predicates.filter(Boolean).length > 1) {
    throw new EdgeloomError(
      'invalid-argument',
      'An inbound query takes one of equals, atLeast, and from with to.',
      'Leave the others out.',
    );
  }
  if (equals !== undefined) return equalRange(equals);
  const lowest = atLeast === undefined ? { value: from, argument: 'from' } : { value: atLeast, argument: 'atLeast' };
  return valueRange(ordered, lowest, { value: to, argument: 'to' });
}

/** Gathers one page of index items; `boundTo` names what besides the query its cursor belongs to. */
export async function gatherInbound(
  context: ReadContext,
  { index, partitions, range, reverse, binding }: InboundQuery,
  options: InboundOptions,
  boundTo: readonly unknown[],
): Promise<{ gathered: Gathered; cursor?: string }> {
  const { graph, cursorKey } = context;
  const limit = checkLimit(options.limit);
  const bound: CursorBinding = { query: ['inbound', ...binding, ...boundTo], model: graph.fingerprint };
  const after = options.cursor === undefined ? undefined : decodeCursor(options.cursor, bound, cursorKey);
  const gathered = await scatter(context, { index, partitions, range, after, reverse, limit });
  const { lastKey } = gathered;
  return { gathered, cursor: lastKey === undefined ? undefined : encodeCursor(lastKey, bound, cursorKey) };
}
