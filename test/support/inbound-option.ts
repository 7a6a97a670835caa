import { INBOUND_OPTIONS } from '../../src/core/model/options/option-tables.ts';

/** The option `inbound` of orders and settings that stand in one object: tests put models together from such. */
export function inboundOption(flat: object): Record<string, unknown> {
  const entries = Object.entries(flat);
  const orders = entries.filter(([name]) => !Object.hasOwn(INBOUND_OPTIONS, name));
  const settings = entries.filter(([name]) => Object.hasOwn(INBOUND_OPTIONS, name));
  return { ...(orders.length > 0 && { orders: Object.fromEntries(orders) }), ...Object.fromEntries(settings) };
}

/** The names of the orders that share an edge's one index item, by the index of each; written anew, to judge the model's choice. */
export function sharedOrders(names: readonly string[], indexes = 2): readonly (string | undefined)[] {
  const raw = Array.from({ length: indexes }, (_, i) => `gsi${i}`);
  const isRaw = raw.some((index) => names.includes(index));
  return isRaw ? raw.map((index) => (names.includes(index) ? index : undefined)) : raw.map((_, i) => names[i]);
}
