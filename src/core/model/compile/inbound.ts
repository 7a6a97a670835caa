import type { InboundItem, InboundModel, InboundOrder, IndexName, OrderSettings } from '../compiled.ts';
import { fillSettings, INBOUND_OPTIONS } from '../options/option-tables.ts';
import { isPlainObject, type Shaped } from '../options/shape.ts';
import { EdgeItemPlaces, OrderPlaces } from '../projection/places.ts';
import { compileEdgeOrder } from './order.ts';
import { checkShape, inboundSchema, type MistakeLog } from './schemas.ts';

/**
 * How edge types are found from their targets. The orders `gsi0` and `gsi1` share an edge's one index item, which is in both
 * indexes. An item is in an index once, so each further order, known by its name, has an index item of its own; it is in
 * gsi0, in an index partition of its own.
 */

const INDEXES: readonly IndexName[] = ['gsi0', 'gsi1'];
/** Options next to the orders; no order can have these names. */
const SETTINGS: ReadonlySet<string> = new Set(Object.keys(INBOUND_OPTIONS));
/** The name is part of sort keys and index partitions; it begins as no type does, which keeps those apart. */
const ORDER_NAME = /^[a-z][A-Za-z0-9_]{0,63}$/;
const OTHER_INDEX = /^gsi\d+$/;

/** Compiles the `inbound` option of an edge type, and logs its mistakes. Undefined if it has no orders, or cannot be read. */
export function compileInbound(
  type: string,
  input: unknown,
  path: string,
  mistakes: MistakeLog,
): InboundModel | undefined {
  if (input === undefined) return undefined;
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  const entries = isObject ? Object.entries(input) : [];
  const settings = isObject ? Object.fromEntries(entries.filter(([name]) => SETTINGS.has(name))) : input;
  const option = checkShape(inboundSchema, settings, path, mistakes);
  if (option === undefined) return undefined;
  const given = new Map(entries.filter(([name, entry]) => !SETTINGS.has(name) && entry !== undefined));
  const found: OrderSettings[] = [];
  for (const name of new Set([...INDEXES.filter((index) => given.has(index)), ...given.keys()])) {
    const order = compileInboundOrder(name, given.get(name), `${path}.${name}`, mistakes);
    if (order !== undefined) found.push(order);
  }
  const hasTotals = option.total !== undefined || option.groupBy !== undefined;
  if (given.size === 0) {
    if (!hasTotals) mistakes.push({ path, message: 'names no order: give gsi0, gsi1 or one of a name of its own' });
    return undefined;
  }
  const inboundSettings = fillSettings(INBOUND_OPTIONS, option);
  if (inboundSettings.includeTarget && inboundSettings.shards !== 1) {
    const message = 'needs shards: 1: with more there is no one partition at whose end the node could be';
    mistakes.push({ path: `${path}.includeTarget`, message });
  }
  checkSource(option, path, mistakes);
  const orders = found.map((order) => ({ ...order, places: new OrderPlaces(type, order, inboundSettings) }));
  return {
    orders: new Map(orders.map((order) => [order.name, order])),
    items: itemsOf(type, orders),
    ...inboundSettings,
  };
}

/** Notes options of the attributes that an edge type takes from its source nodes, and of its index partitions, that exclude each other. */
function checkSource(
  { project = 'KEYS_ONLY', projectSource, partition, includeTarget }: Shaped<typeof inboundSchema>,
  path: string,
  mistakes: MistakeLog,
): void {
  if (projectSource !== undefined && project === 'ALL') {
    const message =
      "is together with project: 'ALL', which may hold the same names: list the edge's attributes in project";
    mistakes.push({ path: `${path}.projectSource`, message });
  }
  for (const name of Array.isArray(project) ? project : []) {
    if (projectSource?.includes(name) !== true) continue;
    const message = `names ${name}, which project names too: an index item has one ${name}. Leave it out of one of the two`;
    mistakes.push({ path: `${path}.projectSource`, message });
  }
  if (partition !== undefined && includeTarget === true) {
    const message =
      'is together with includeTarget: the target node cannot be in the partitions of its edges then. Leave one out';
    mistakes.push({ path: `${path}.partition`, message });
  }
}

function compileInboundOrder(
  name: string,
  entry: unknown,
  path: string,
  mistakes: MistakeLog,
): OrderSettings | undefined {
  const index = INDEXES.find((known) => known === name);
  if (index !== undefined) {
    return { name, index, order: compileEdgeOrder(entry, path, mistakes), isNamed: false };
  }
  if (readsLikeSetting(name, entry)) {
    mistakes.push({ path, message: `reads like the option ${name.slice(0, -1)}; an order should have another name` });
  } else if (OTHER_INDEX.test(name)) {
    mistakes.push({ path, message: 'is no index: there are gsi0 and gsi1; give further orders names of their own' });
  } else if (!ORDER_NAME.test(name)) {
    const message = `is neither an option (${[...SETTINGS].join(', ')}) nor a name for an order: names match ${ORDER_NAME.source}`;
    mistakes.push({ path, message });
  } else {
    return { name, index: 'gsi0', order: compileEdgeOrder(entry, path, mistakes), isNamed: true };
  }
  return undefined;
}

/** Whether the name of an order is probably a misspelt option. `totals` may be an order, unless it holds sums. */
function readsLikeSetting(name: string, entry: unknown): boolean {
  const singular = name.replace(/s$/, '');
  if (singular !== 'total') return SETTINGS.has(singular);
  return isPlainObject(entry) && !('kind' in entry);
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
