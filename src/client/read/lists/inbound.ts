import { type AttributeValue, type Item, stringOf } from '../../../core/items/attribute-value.ts';
import { INDEX_KEYS } from '../../../core/items/derived-item.ts';
import { LAST_SORT_KEY, TARGET_SORT_KEY } from '../../../core/items/encoding.ts';
import type { Filter } from '../../../core/items/filter.ts';
import type { IndexPartitionKey } from '../../../core/items/keys.ts';
import { AS_WRITTEN } from '../../../core/items/text-form.ts';
import type { CompiledModel, EdgeModel, InboundOrder, IndexName } from '../../../core/model/compiled.ts';
import { textsOfOrder } from '../../../core/model/declared-texts.ts';
import { heldAttributes } from '../../../core/model/held-attributes.ts';
import { indexOfOrder } from '../../../core/model/native-indexes.ts';
import type { ItemKeys } from '../../../core/model/projection/index-places.ts';
import type { ItemKey } from '../../../core/store-port.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import { checkOptions } from '../../../foundation/options.ts';
import { meaningOfOrder } from '../../../registry/definition.ts';
import { affectsInbound, type OwnWrites, overlayOf, ownEdgesOf, targetItemNow } from '../../session/own-writes.ts';
import { boundOptions, type CursorBinding, decodeCursor, encodeCursor } from '../request/cursor.ts';
import { isInRange, type KeyRange, textAfterPrefix } from '../request/key-range.ts';
import { checkedKeyTo, findEdge, findOrder } from '../request/lookup.ts';
import {
  argumentOrder,
  attributeArgument,
  checkPartition,
  encodeWhole,
  endsOf,
  equalRange,
  isDay,
  type OrderOfQuery,
  type OrderValue,
  valueRange,
} from '../request/order-argument.ts';
import { noticeOfOwnWrites, readRelevantOwnWrites } from '../request/own.ts';
import { beginsWithRange, partsRange } from '../request/prefix-argument.ts';
import { checkLimit, type ReadContext, refuseConsistent } from '../request/read-context.ts';
import { type EdgeResult, type InboundPage, indexAttributes, sourceOf, type TargetView } from '../request/result.ts';
import { whereBinding } from '../request/where.ts';
import { checkMaxRcu, LEAST_RCU } from './budget.ts';
import { INBOUND_QUERY_OPTIONS, type InboundQuery } from './inbound-query.ts';
import { listFilter, valuesOfOrder } from './kept-values.ts';
import { gatherNativePage, type NativeList, sendableEnds } from './native-list.ts';
import { type Gathered, hitTest, type ScatterRequest } from './scatter.ts';
import { isTargetItem, readTargetItem, requireTargetItem } from './target-item.ts';
import { gatherListPage } from './walk.ts';

export async function readInbound(
  context: ReadContext,
  target: string,
  edgeType: string,
  options: InboundQuery = {},
): Promise<InboundPage<EdgeResult, TargetView>> {
  checkOptions('inbound', options, INBOUND_QUERY_OPTIONS);
  refuseConsistent(options.consistent, 'inbound');
  const query = resolveInboundQuery(context, target, edgeType, options);
  if (options.includeTarget === true) requireTargetItem(query.edge);
  const asksTarget = options.includeTarget === true && options.cursor === undefined;
  // In reverse without an upper end, the Query meets the node first; a filter is meant for edges and would remove it.
  const isOnTheWay = query.reverse && query.isOpenAbove && query.where === undefined;
  const own = await readRelevantOwnWrites(
    context,
    (key) => affectsInbound(context.graph, query, key) || (asksTarget && isNodeItself(key, target)),
  );
  const look = asksTarget && !isOnTheWay ? readTargetItem(context, query) : undefined;
  const { spending } = context;
  // The list gets what the node leaves of the units.
  if (spending !== undefined) await look;
  const least = LEAST_RCU * query.partitions.length;
  const maxRcu = spending === undefined ? query.maxRcu : Math.max(least, spending.left);
  const [{ gathered, cursor, target: met }, looked] = await Promise.all([
    gatherInbound(context, { ...query, maxRcu, takesTarget: asksTarget && isOnTheWay }, options, 'inbound', own),
    look,
  ]);
  const ownNode = own.writes.find((write) => isNodeItself(write, target));
  const targetItem =
    ownNode === undefined
      ? (met ?? looked)
      : targetItemNow(context.projections.model, ownNode, query.index, query.partitions);
  const items = gathered.items.map((item) => edgeOfItem(context, edgeType, target, item));
  return {
    items,
    ...(asksTarget && {
      target: targetItem === undefined ? null : { id: target, attributes: indexAttributes(context, targetItem) },
    }),
    ...(cursor !== undefined && { cursor }),
    ...noticeOfOwnWrites(context),
  };
}

export function edgeOfItem(context: ReadContext, type: string, target: string, item: Item): EdgeResult {
  return { source: sourceOf(context, item), type, target, attributes: indexAttributes(context, item) };
}

function isNodeItself({ source, target }: ItemKey, id: string): boolean {
  return source === id && target === id;
}

export interface ResolvedInbound {
  edge: EdgeModel;
  edgeKey: string;
  index: IndexName;
  partitions: IndexPartitionKey[];
  itemKeys: ItemKeys;
  targetItemKey: string;
  range: KeyRange;
  reverse: boolean;
  isOpenAbove: boolean;
  where?: Filter;
  ofKept: Filter;
  accept: (item: Item) => boolean;
  maxRcu?: number;
  takesTarget?: boolean;
  native?: NativeList | undefined;
  order: string;
  meaning: string;
}

export function resolveInboundQuery(
  { graph, projections }: Pick<ReadContext, 'graph' | 'projections'>,
  target: string,
  edgeType: string,
  options: InboundQuery,
): ResolvedInbound {
  const edge = findEdge(graph, edgeType);
  const declared = findOrder(edge, options.order);
  const { inbound, order } = projections.order(edge, declared.order);
  const { name, index } = order;
  const sortKey = checkedKeyTo(edge, target);
  const ordered: OrderOfQuery = {
    order: argumentOrder(order.order),
    form: AS_WRITTEN,
    name: `order ${name} of ${edgeType}`,
    declared: textsOfOrder(graph, edge, order.order),
  };
  const equals = options.equals === undefined ? undefined : encodeWhole(ordered, options.equals, 'equals');
  const expected = inboundRange(ordered, equals, options);
  const isOpenAbove = expected.to === undefined;
  // The node sorts after its edges. A range that ends before the node never reads it.
  const range = inbound.includeTarget && isOpenAbove ? { ...expected, to: LAST_SORT_KEY } : expected;
  const within = checkPartition(`The order ${name} of ${edgeType}`, inbound.partition?.attribute, options.partition);
  const { places } = order;
  const partitions =
    equals === undefined ? places.partitions(sortKey, within) : places.partitionsOfValue(sortKey, equals, within);
  const reverse = options.reverse ?? false;
  const subject = { name: ordered.name, projection: heldAttributes(inbound), path: `edges.${edgeType}.inbound` };
  const { where, ofKept, passesKept } = listFilter(graph, options.where, subject, valuesOfOrder(graph, order));
  const itemKeys = places.itemKeys(edge.from, sortKey);
  const isHit = hitTest(graph, itemKeys);
  return {
    edge,
    edgeKey: sortKey,
    index,
    partitions,
    itemKeys,
    targetItemKey: places.targetItemKey,
    range,
    reverse,
    isOpenAbove,
    native: inbound.native ? nativeList(graph, order, ordered, sortKey, options) : undefined,
    meaning: meaningOfOrder(graph, edge, declared.order),
    where,
    ofKept,
    accept: (item) => isHit(item) && passesKept(item),
    maxRcu: checkMaxRcu(options.maxRcu, where !== undefined || ofKept.length > 0, partitions),
    order: name,
  };
}

function nativeList(
  graph: CompiledModel,
  order: InboundOrder,
  ordered: OrderOfQuery,
  edgeKey: string,
  { equals, atLeast, beginsWith, between }: InboundQuery,
): NativeList {
  const { low = atLeast, high } = endsOf(ordered, between);
  const end = (value: OrderValue | undefined): AttributeValue | undefined =>
    value === undefined ? undefined : attributeArgument(ordered, value, 'value');
  const upperEnd = (value: OrderValue | undefined): AttributeValue | undefined =>
    high !== undefined && isDay(ordered, high) ? textAttribute(textAfterPrefix(high as string)) : end(value);
  const ends =
    beginsWith === undefined
      ? { from: end(equals ?? low), to: upperEnd(equals ?? high) }
      : { from: { S: beginsWith }, to: textAttribute(textAfterPrefix(beginsWith)) };
  return {
    index: indexOfOrder(graph, order),
    partition: { S: edgeKey },
    ...sendableEnds(ends),
    itemKey: order.places.itemKeys([], edgeKey).target,
  };
}

function textAttribute(text: string | undefined): AttributeValue | undefined {
  return text === undefined ? undefined : { S: text };
}

function inboundRange(ordered: OrderOfQuery, equals: string | undefined, options: InboundQuery): KeyRange {
  const { atLeast, path, beginsWith } = options;
  const { low, high, isRange } = endsOf(ordered, options.between);
  const isOfParts = ordered.order.kind === 'parts';
  // After leading values comes a range of the next value.
  const isPath = path !== undefined && !(isOfParts && (isRange || beginsWith !== undefined));
  const predicates = [equals !== undefined, atLeast !== undefined, isPath, isRange, beginsWith !== undefined];
  if (predicates.filter(Boolean).length > 1) {
    throw new EdgeloomError(
      'invalid-argument',
      'An inbound query takes one of equals, atLeast, path, beginsWith and between.',
      'Leave the others out. Only an order of several values takes path with beginsWith or between.',
    );
  }
  if (equals !== undefined) return equalRange(equals);
  if (path !== undefined || (isOfParts && atLeast === undefined)) return partsRange(ordered, options);
  if (beginsWith !== undefined) return beginsWithRange(ordered, beginsWith);
  if (atLeast !== undefined) return valueRange(ordered, 'atLeast', atLeast, undefined);
  return valueRange(ordered, 'between', low, high);
}

export async function gatherInbound(
  context: ReadContext,
  query: ResolvedInbound,
  options: InboundQuery,
  read: 'inbound' | 'page',
  own: OwnWrites,
): Promise<{ gathered: Gathered; cursor?: string; target?: Item }> {
  const { graph, cursorKey } = context;
  const {
    edge,
    edgeKey,
    index,
    partitions,
    accept,
    range,
    reverse,
    where,
    ofKept,
    maxRcu,
    takesTarget = false,
    order,
    meaning,
  } = query;
  const limit = checkLimit(options.limit);
  const asked = boundOptions(options, { order, where: whereBinding(where, ofKept) });
  const bound: CursorBinding = { query: [graph.table.name, read, edgeKey, asked], meaning };
  const after = options.cursor === undefined ? undefined : decodeCursor(options.cursor, bound, cursorKey);
  const cursorAt = (lastKey: string): string => encodeCursor(lastKey, bound, cursorKey);
  const ownEdges = await ownEdgesOf(context, edge, edgeKey, own.writes);
  if (query.native !== undefined) {
    const isWanted = nativeTest(query);
    const page = { list: query.native, after, reverse, limit, where, maxRcu, accept: isWanted, own: ownEdges };
    const gathered = await gatherNativePage(context, page, cursorAt);
    return { gathered, cursor: gathered.cursor };
  }
  const request: ScatterRequest = { index, partitions, range, after, reverse, limit, where, maxRcu, accept };
  if (ownEdges.length > 0) request.overlay = overlayOf(context.projections.model, ownEdges, index, partitions);
  let ownItem: Item | undefined;
  if (takesTarget) {
    request.range = { from: range.from, to: TARGET_SORT_KEY };
    // The node is kept aside, and doesn't count as an item of the page.
    request.accept = (item) => {
      if (isTargetItem(context, query, item)) ownItem = item;
      return accept(item);
    };
    request.unwanted = 1;
  }
  const gathered = await gatherListPage(context, request, options.cursor, cursorAt);
  return { gathered, target: ownItem, cursor: gathered.cursor };
}

/** A native index may be asked for a wider range than the query's. */
export function nativeTest({ index, accept, range }: ResolvedInbound): (item: Item) => boolean {
  return (item) => accept(item) && isInRange(range, stringOf(item[INDEX_KEYS[index].sort]) ?? '');
}
