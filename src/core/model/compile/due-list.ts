import type { EdgeModel, InboundModel } from '../compiled.ts';
import { fillSettings, INBOUND_OPTIONS, type OrderSettings } from '../options/option-tables.ts';
import { DUE_ORDER } from '../projection/due-order.ts';
import { EdgeItemPlaces, OrderPlaces } from '../projection/index-places.ts';

/**
 * The due-list of an edge type: one more order, by the time at which an edge ends. A count knows no clock, so it holds an edge that is
 * over until the edge is deleted. DynamoDB may take days for that; whoever goes through the due-list deletes it within minutes. The list
 * is a projection as any other: it is checked, repaired, migrated and explained as one.
 */

/** Index partitions of a due-list: each takes 1,000 writes a second, and costs a Query a minute. */
const SHARDS = 8;

/** The due-list of edges that end and are counted; undefined: of a type without one. */
export function dueList(edge: Pick<EdgeModel, 'type' | 'expires' | 'count' | 'incoming'>): InboundModel | undefined {
  const { type, expires, count, incoming } = edge;
  if (expires === undefined || (count === undefined && incoming === undefined)) return undefined;
  const settings = fillSettings(INBOUND_OPTIONS, { shards: SHARDS });
  const order: OrderSettings = {
    name: DUE_ORDER,
    index: 'gsi0',
    order: { kind: 'attribute', attribute: expires, type: 'number' },
    isNamed: true,
  };
  const placed = { ...order, places: new OrderPlaces(type, order, settings) };
  return {
    ...settings,
    native: false,
    orders: new Map([[DUE_ORDER, placed]]),
    items: [{ orderName: DUE_ORDER, orders: [placed], inForce: { places: new EdgeItemPlaces(type, DUE_ORDER) } }],
  };
}
