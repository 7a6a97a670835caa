import { INDEX_NAMES } from '../../items/derived-item.ts';
import type {
  EdgeOrderModel,
  InboundItem,
  InboundModel,
  InboundOrder,
  IndexName,
  OrderSettings,
  TableNames,
} from '../compiled.ts';
import { nativeAttribute } from '../native-indexes.ts';
import { fillSettings, INBOUND_OPTIONS } from '../options/option-tables.ts';
import { isTurnedOn, noteClashes } from '../options/option-works.ts';
import type { Shaped } from '../options/shape.ts';
import { DUE_ORDER, EdgeItemPlaces, OrderPlaces } from '../projection/index-places.ts';
import type { Mistakes } from './mistakes.ts';
import { compileEdgeOrder } from './order.ts';
import { checkShape, inboundSchema } from './schemas.ts';

/**
 * The first orders, one for each index, share an item, which costs least. An item is in an index only once, so each
 * further order has its own item, in gsi0. If some orders are named gsi0, gsi1 and so on, only these share an item,
 * each in the index of its name.
 */

/** Order names are part of keys, where a lower-case first letter distinguishes them from types. */
const ORDER_NAME = /^[a-z][A-Za-z0-9_]{0,63}$/;
/** Names that have another meaning in keys. */
const RESERVED: ReadonlySet<string> = new Set(['includeTarget', DUE_ORDER]);
const OTHER_INDEX = /^gsi\d+$/;

export function compileInbound(
  type: string,
  input: unknown,
  { indexes }: Pick<TableNames, 'indexes'>,
  mistakes: Mistakes,
): InboundModel | undefined {
  if (input === undefined) return undefined;
  const option = checkShape(inboundSchema, input, mistakes);
  if (option === undefined) return undefined;
  const given = Object.entries(option.orders ?? {}).filter(([, entry]) => entry !== undefined);
  if (given.length === 0) {
    noteNoOrders(option, mistakes);
    return undefined;
  }
  for (const [name] of given) checkOrderName(name, indexes, mistakes.at(`orders.${name}`));
  const inboundSettings = fillSettings(INBOUND_OPTIONS, option);
  const native = option.native === true;
  // Native orders don't share items: each has its own index.
  const indexOf = native
    ? new Map<string, IndexName>()
    : sharedIndexes(
        given.map(([name]) => name),
        indexes,
      );
  const orders = given
    .map(([name, entry]): OrderSettings => {
      const index = indexOf.get(name);
      const order = compileEdgeOrder(entry, mistakes.at(`orders.${name}`));
      return { name, index: index ?? 'gsi0', order, isNamed: index === undefined };
    })
    .sort(sharedFirst)
    .map((order) => ({ ...order, places: new OrderPlaces(type, order, inboundSettings, { isStored: !native }) }));
  noteClashes(
    INBOUND_OPTIONS,
    option,
    orders.map(({ order }) => order),
    (option, message) => mistakes.at(option).note(message),
  );
  if (native) checkNative(orders, mistakes);
  return {
    orders: new Map(orders.map((order) => [order.name, order])),
    items: itemsOf(type, orders),
    ...inboundSettings,
    native,
  };
}

function noteNoOrders(
  { orders: _, total, groupBy, ...ofOrders }: Shaped<typeof inboundSchema>,
  mistakes: Mistakes,
): void {
  if (total === undefined && groupBy === undefined) {
    mistakes.note("names no order: give orders, such as { orders: { byDate: 'date' } }");
  } else if (!mistakes.at('orders').areAny) {
    const idle = Object.entries(ofOrders).filter(([, value]) => isTurnedOn(value));
    for (const [name] of idle)
      mistakes.at(name).note('is for orders, but there are none: give orders, or leave it out');
  }
}

function sharedFirst(left: OrderSettings, right: OrderSettings): number {
  const byItem = Number(left.isNamed) - Number(right.isNamed);
  return byItem || INDEX_NAMES.indexOf(left.index) - INDEX_NAMES.indexOf(right.index);
}

function sharedIndexes(names: readonly string[], indexes: readonly IndexName[]): ReadonlyMap<string, IndexName> {
  const raw = indexes.filter((index) => names.includes(index));
  if (raw.length > 0) return new Map(raw.map((index) => [index, index]));
  return new Map(indexes.flatMap((index, i) => (names[i] === undefined ? [] : [[names[i], index]])));
}

function checkNative(orders: readonly OrderSettings[], mistakes: Mistakes): void {
  for (const { name, order } of orders) {
    if (nativeAttribute(order) !== undefined) continue;
    const message = `is by ${ORDER_KINDS[order.kind]}, whose key is derived: name an attribute of the edge, or number(...) of one, or leave out native`;
    mistakes.at(`orders.${name}`).note(message);
  }
}

const ORDER_KINDS: Readonly<Record<EdgeOrderModel['kind'], string>> = {
  attribute: 'a date',
  rank: 'a rank',
  derive: 'a function',
  source: 'an attribute of the source node',
  parts: 'several values',
};

function checkOrderName(name: string, indexes: readonly IndexName[], mistakes: Mistakes): void {
  if (indexes.some((index) => index === name)) return;
  if (RESERVED.has(name)) {
    mistakes.note('is the name of an option, which items of its own have in their keys: give it another');
    return;
  }
  if (OTHER_INDEX.test(name)) {
    const there = `${indexes.slice(0, -1).join(', ')}${indexes.length > 1 ? ' and ' : ''}${indexes.at(-1)}`;
    mistakes.note(`is no index: there are ${there}; give further orders names of their own`);
  } else if (!ORDER_NAME.test(name)) {
    mistakes.note(`is not a name for an order: names match ${ORDER_NAME.source}`);
  }
}

function itemsOf(type: string, orders: readonly InboundOrder[]): InboundItem[] {
  const shared = orders.filter(({ isNamed }) => !isNamed);
  const named = orders.filter(({ isNamed }) => isNamed);
  return [
    ...(shared.length > 0 ? [{ orders: shared, inForce: { places: new EdgeItemPlaces(type, undefined) } }] : []),
    ...named.map((order) => ({
      orderName: order.name,
      orders: [order],
      inForce: { places: new EdgeItemPlaces(type, order.name) },
    })),
  ];
}
