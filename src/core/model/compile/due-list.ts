import type { EdgeModel, InboundModel } from '../compiled.ts';
import { fillSettings, INBOUND_OPTIONS, type OrderSettings } from '../options/option-tables.ts';
import { DUE_ORDER, EdgeItemPlaces, OrderPlaces } from '../projection/index-places.ts';

/**
 * The due-list is an additional order of edges, by the time at which they end. `deleteEnded` reads it and deletes ended
 * edges within minutes, so that counts are right; DynamoDB's TTL may take days.
 */

/** Each shard takes 1,000 writes a second, and costs one Query a minute. */
const SHARDS = 8;

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
