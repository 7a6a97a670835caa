import { compileOrder, type OrderModel } from './compile-order.ts';
import { check, compileProjection, inboundSchema, type MistakeLog, type Projection } from './compile-schemas.ts';
import type { IndexName } from './graph.ts';
import type { HashName } from './shard.ts';

/** How edge types are found from their targets. */

/** How an edge type's index items are made. */
export interface InboundModel {
  orders: ReadonlyMap<IndexName, OrderModel>;
  shards: number;
  shardBy: 'value' | 'source';
  hash: HashName;
  project: Projection;
}

/** Compiles the `inbound` option of an edge type; undefined where it has none. */
export function compileInbound(input: unknown, path: string, mistakes: MistakeLog): InboundModel | undefined {
  const option = check(inboundSchema, input, path, mistakes);
  if (option === undefined) return undefined;
  const orders = new Map<IndexName, OrderModel>();
  for (const index of ['gsi0', 'gsi1'] as const) {
    const entry = option[index];
    if (entry !== undefined) orders.set(index, compileOrder(entry, undefined, `${path}.${index}`, mistakes));
  }
  if (orders.size === 0) mistakes.push({ path, message: 'names no order: give gsi0, gsi1 or both' });
  return {
    orders,
    shards: option.shards ?? 1,
    shardBy: option.shardBy ?? 'source',
    hash: option.hash ?? 'fnv1a',
    project: compileProjection(option.project ?? 'KEYS_ONLY'),
  };
}
