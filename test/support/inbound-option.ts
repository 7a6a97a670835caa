import { INBOUND_OPTIONS } from '../../src/core/model/options/option-tables.ts';

/** The option `inbound` of orders and settings that stand in one object: tests put models together from such. */
export function inboundOption(flat: object): Record<string, unknown> {
  const entries = Object.entries(flat);
  const orders = entries.filter(([name]) => !Object.hasOwn(INBOUND_OPTIONS, name));
  const settings = entries.filter(([name]) => Object.hasOwn(INBOUND_OPTIONS, name));
  return { ...(orders.length > 0 && { orders: Object.fromEntries(orders) }), ...Object.fromEntries(settings) };
}

/** The names of the orders that share an edge's one index item, for gsi0 and for gsi1; written anew, to judge the model's choice. */
export function sharedOrders(names: readonly string[]): [string | undefined, string | undefined] {
  const isRaw = names.includes('gsi0') || names.includes('gsi1');
  const named = (name: string): string | undefined => (names.includes(name) ? name : undefined);
  return isRaw ? [named('gsi0'), named('gsi1')] : [names[0], names[1]];
}
