import { SERVICE_PARTITION } from '../../core/items/keys.ts';
import type { TableNames } from '../../core/model/compiled.ts';
import { queriedItems } from '../../core/store-pages.ts';
import type { Store } from '../../core/store-port.ts';
import { type ConsumerProgress, isExpired, PROGRESS_RANGE, readProgress } from './record.ts';

export async function readConsumers(
  store: Pick<Store, 'query'>,
  table: TableNames,
  nowMs: number,
): Promise<ConsumerProgress[]> {
  const found: ConsumerProgress[] = [];
  const request = { partition: SERVICE_PARTITION, sortKey: PROGRESS_RANGE, consistent: true };
  for await (const item of queriedItems(store, request)) {
    const progress = isExpired(table, item, nowMs) ? undefined : readProgress(item);
    if (progress !== undefined) found.push(progress);
  }
  return found;
}

/** A worker reads a shard alone and in order, so it has applied all earlier records. */
export function appliedByWorkers(consumers: readonly ConsumerProgress[], stream: string): Map<string, string> {
  const applied = new Map<string, string>();
  for (const { shards } of consumers.filter((one) => one.kind === 'worker' && one.stream === stream)) {
    for (const { shardId, sequenceNumber } of shards) {
      if (shardId === undefined || !/^\d{1,99}$/.test(sequenceNumber)) continue;
      applied.set(shardId, laterNumber(sequenceNumber, applied.get(shardId)));
    }
  }
  return applied;
}

export function laterNumber(one: string, other: string | undefined): string {
  return other !== undefined && BigInt(other) > BigInt(one) ? other : one;
}
