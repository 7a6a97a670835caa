import type { InboundItem, InboundModel, InboundOrder, IndexName } from '../compiled.ts';
import { compileOrder } from './order.ts';
import { compileProjection, inboundSchema, type MistakeLog, parsedPart } from './schemas.ts';

/**
 * How edge types are found from their targets. The orders `gsi0` and `gsi1` share an edge's one index item, which is in both
 * indexes. An item is in an index once, so each further order, known by its name, has an index item of its own; it is in
 * gsi0, in an index partition of its own.
 */

const INDEXES: readonly IndexName[] = ['gsi0', 'gsi1'];
/** What stands beside the orders; no order can have these names. */
const SETTINGS: ReadonlySet<string> = new Set(Object.keys(inboundSchema.shape));
/** The name is part of sort keys and index partitions; it begins as no type does, which keeps those apart. */
const ORDER_NAME = /^[a-z][A-Za-z0-9_]{0,63}$/;
const OTHER_INDEX = /^gsi\d+$/;

/** Compiles the `inbound` option of an edge type; undefined where it has none. */
export function compileInbound(input: unknown, path: string, mistakes: MistakeLog): InboundModel | undefined {
  if (input === undefined) return undefined;
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  const entries = isObject ? Object.entries(input) : [];
  const settings = isObject ? Object.fromEntries(entries.filter(([name]) => SETTINGS.has(name))) : input;
  const option = parsedPart(inboundSchema, settings, path, mistakes);
  if (option === undefined) return undefined;
  const given = new Map(entries.filter(([name, entry]) => !SETTINGS.has(name) && entry !== undefined));
  const orders = new Map<string, InboundOrder>();
  for (const name of new Set([...INDEXES.filter((index) => given.has(index)), ...given.keys()])) {
    const order = compileInboundOrder(name, given.get(name), `${path}.${name}`, mistakes);
    if (order !== undefined) orders.set(name, order);
  }
  if (given.size === 0) mistakes.push({ path, message: 'names no order: give gsi0, gsi1 or one of a name of its own' });
  const includeOwner = option.includeOwner ?? false;
  if (includeOwner && (option.shards ?? 1) !== 1) {
    const message = 'needs shards: 1: with more there is no one partition at whose end the node could be';
    mistakes.push({ path: `${path}.includeOwner`, message });
  }
  return {
    orders,
    items: itemsOf([...orders.values()]),
    shards: option.shards ?? 1,
    shardBy: option.shardBy ?? 'source',
    hash: option.hash ?? 'fnv1a',
    project: compileProjection(option.project ?? 'KEYS_ONLY'),
    includeOwner,
  };
}

function compileInboundOrder(
  name: string,
  entry: unknown,
  path: string,
  mistakes: MistakeLog,
): InboundOrder | undefined {
  const index = INDEXES.find((known) => known === name);
  if (index !== undefined) {
    return { name, index, order: compileOrder(entry, undefined, path, mistakes), isNamed: false };
  }
  if (OTHER_INDEX.test(name)) {
    mistakes.push({ path, message: 'is no index: there are gsi0 and gsi1; give further orders names of their own' });
  } else if (!ORDER_NAME.test(name)) {
    const message = `is neither an option (${[...SETTINGS].join(', ')}) nor a name for an order: names match ${ORDER_NAME.source}`;
    mistakes.push({ path, message });
  } else {
    return { name, index: 'gsi0', order: compileOrder(entry, undefined, path, mistakes), isNamed: true };
  }
  return undefined;
}

function itemsOf(orders: readonly InboundOrder[]): InboundItem[] {
  const shared = orders.filter(({ isNamed }) => !isNamed);
  const named = orders.filter(({ isNamed }) => isNamed);
  return [
    ...(shared.length > 0 ? [{ orders: shared }] : []),
    ...named.map((order) => ({ orderName: order.name, orders: [order] })),
  ];
}
