import type { AttributeValue, Item } from '../../../core/items/attribute-value.ts';
import { AS_WRITTEN, LAST_SORT_KEY, TARGET_SORT_KEY } from '../../../core/items/encoding.ts';
import type { CompiledModel, EdgeModel, InboundOrder } from '../../../core/model/compiled.ts';
import { heldAttributes } from '../../../core/model/compiled.ts';
import { textsOfOrder } from '../../../core/model/declared-texts.ts';
import { indexOfOrder } from '../../../core/model/native-indexes.ts';
import type { ItemKey } from '../../../core/store-port.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import { checkOptions } from '../../../foundation/options.ts';
import { meaningOfOrder } from '../../../registry/definition.ts';
import { affectsInbound, type OwnWrites, ownEdgesOf, targetItemNow } from '../../session/own-writes.ts';
import { boundOptions } from '../request/cursor.ts';
import { type KeyRange, textAfterPrefix } from '../request/key-range.ts';
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
import { type ListPage, readListPage } from './list-page.ts';
import { sendableEnds } from './native-list.ts';
import type { NativeList, PlacedList } from './placed-list.ts';
import { type Gathered, hitTest } from './scatter.ts';
import { isTargetItem, readTargetItem, requireTargetItem } from './target-item.ts';

export async function readInbound(
  context: ReadContext,
  target: string,
  edgeType: string,
  options: InboundQuery = {},
): Promise<InboundPage<EdgeResult, TargetView>> {
  checkOptions('inbound', options, INBOUND_QUERY_OPTIONS);
  refuseConsistent(options.consistent, 'inbound');
  const query = resolveInboundQuery(context, target, edgeType, options);
  const { list } = query;
  if (options.includeTarget === true) requireTargetItem(query.edge);
  const asksTarget = options.includeTarget === true && options.cursor === undefined;
  // In reverse without an upper end, the Query reads the node before the edges. A filter for edges would remove the
  // node.
  const isOnTheWay = list.reverse && query.isOpenAbove && list.where === undefined;
  const own = await readRelevantOwnWrites(
    context,
    (key) => affectsInbound(context.graph, query, key) || (asksTarget && isNodeItself(key, target)),
  );
  const look = asksTarget && !isOnTheWay ? readTargetItem(context, query, list) : undefined;
  const { spending } = context;
  // Read the node first: the list gets the units that are left.
  if (spending !== undefined) await look;
  const left = spending === undefined ? query : withMaxRcu(query, spending.left);
  const [{ items: rows, cursor, target: met }, looked] = await Promise.all([
    readInboundItems(context, left, options, { read: 'inbound', own, takesTarget: asksTarget && isOnTheWay }),
    look,
  ]);
  const ownNode = own.writes.find((write) => isNodeItself(write, target));
  const targetItem =
    ownNode === undefined
      ? (met ?? looked)
      : targetItemNow(context.projections.model, ownNode, list.index, list.partitions);
  const items = rows.map((item) => edgeOfItem(context, edgeType, target, item));
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
  list: PlacedList;
  edge: EdgeModel;
  edgeKey: string;
  targetItemKey: string;
  isOpenAbove: boolean;
  order: string;
  meaning: string;
}

export function withMaxRcu(query: ResolvedInbound, maxRcu: number): ResolvedInbound {
  const least = LEAST_RCU * query.list.partitions.length;
  return { ...query, list: { ...query.list, maxRcu: Math.max(least, maxRcu) } };
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
  // The node sorts after its edges, so end the range before it.
  const range = inbound.includeTarget && isOpenAbove ? { ...expected, to: LAST_SORT_KEY } : expected;
  const within = checkPartition(`The order ${name} of ${edgeType}`, inbound.partition?.attribute, options.partition);
  const { places } = order;
  const partitions =
    equals === undefined ? places.partitions(sortKey, within) : places.partitionsOfValue(sortKey, equals, within);
  const subject = { name: ordered.name, projection: heldAttributes(inbound), path: `edges.${edgeType}.inbound` };
  const { where, ofKept, passesKept } = listFilter(graph, options.where, subject, valuesOfOrder(graph, order));
  const itemKeys = places.itemKeys(edge.from, sortKey);
  const isHit = hitTest(graph, itemKeys);
  const list: PlacedList = {
    ...{ index, partitions, range, reverse: options.reverse ?? false, where, ofKept, itemKeys },
    accept: (item) => isHit(item) && passesKept(item),
    maxRcu: checkMaxRcu(options.maxRcu, where !== undefined || ofKept.length > 0, partitions),
    native: inbound.native ? nativeListOfOrder(graph, order, ordered, sortKey, options) : undefined,
  };
  const meaning = meaningOfOrder(graph, edge, declared.order);
  const { targetItemKey } = places;
  return { list, edge, edgeKey: sortKey, targetItemKey, isOpenAbove, order: name, meaning };
}

function nativeListOfOrder(
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
  // Leading values may be combined with a range of the next value.
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

export async function readInboundItems(
  context: ReadContext,
  { list, edge, edgeKey, targetItemKey, order, meaning }: ResolvedInbound,
  options: InboundQuery,
  { read, own, takesTarget = false }: { read: 'inbound' | 'page'; own: OwnWrites; takesTarget?: boolean },
): Promise<Gathered & { cursor?: string; target?: Item }> {
  const asked = boundOptions(options, { order, where: whereBinding(list.where, list.ofKept) });
  const page: ListPage = {
    limit: checkLimit(options.limit),
    cursor: options.cursor,
    bound: { query: [context.graph.table.name, read, edgeKey, asked], meaning },
    own: await ownEdgesOf(context, edge, edgeKey, own.writes),
  };
  if (!takesTarget) return await readListPage(context, list, page);
  let target: Item | undefined;
  // The node doesn't count as an item of the page.
  const accept = (item: Item): boolean => {
    if (isTargetItem(context, { edge, edgeKey, targetItemKey }, item)) target = item;
    return list.accept(item);
  };
  const range = { from: list.range.from, to: TARGET_SORT_KEY };
  const gathered = await readListPage(context, { ...list, range, accept }, { ...page, unwanted: 1 });
  return { ...gathered, target };
}
