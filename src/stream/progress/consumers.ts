import { type Item, jsonOf, numberOf } from '../../core/items/attribute-value.ts';
import { SERVICE_PARTITION } from '../../core/items/keys.ts';
import type { TableNames } from '../../core/model/compiled.ts';
import { queriedItems } from '../../core/store-pages.ts';
import type { Store, WayOfWriting } from '../../core/store-port.ts';

/** A stream worker, or a Lambda function. */
export type ConsumerKind = 'worker' | 'lambda';

/** How far a consumer has come in one shard. */
export interface ShardProgress {
  /** Absent if unknown, because a Lambda event doesn't name its shard. */
  shardId?: string;
  sequenceNumber: string;
  madeAtSeconds?: number;
}

/** A consumer's progress item. A consumer of many shards writes several. */
export interface ConsumerProgress {
  /** Unique for each process. */
  id: string;
  kind: ConsumerKind;
  /** The fingerprint of the consumer's model. */
  model: string;
  /** The label of a worker's stream, because a shard of another stream may have the same name. */
  stream?: string | undefined;
  /** When the item was written, in milliseconds since 1970. */
  seenAtMs: number;
  /** Number of records applied in the last counted interval, which took `intervalMs` milliseconds. */
  records: number;
  intervalMs: number;
  /** True if the consumer has stopped normally. */
  isStopped: boolean;
  /** How the consumer writes derived items; absent until an answer shows it. */
  writes?: WayOfWriting | undefined;
  shards: readonly ShardProgress[];
}

const PREFIX = 'progress/';
const STATE = 'state';
const KEPT_SECONDS = 48 * 3600;

/**
 * The sort key, `progress/<consumer>/<part>`, is in lower case, so that neither the stream's filter nor a check takes
 * the item for a base item.
 */
export function progressItem(table: TableNames, progress: ConsumerProgress, part: number): Item {
  const { id, seenAtMs } = progress;
  return {
    [table.partitionKey]: { S: SERVICE_PARTITION },
    [table.sortKey]: { S: `${PREFIX}${id}/${part}` },
    [STATE]: { S: JSON.stringify(progress) },
    [table.ttl]: { N: String(Math.floor(seenAtMs / 1000) + KEPT_SECONDS) },
  };
}

export function readProgress(item: Item): ConsumerProgress | undefined {
  const progress = jsonOf(item[STATE]) as Partial<ConsumerProgress> | undefined;
  return progress?.id === undefined || !Array.isArray(progress.shards) ? undefined : (progress as ConsumerProgress);
}

export async function readConsumers(
  store: Pick<Store, 'query'>,
  table: TableNames,
  nowMs: number,
): Promise<ConsumerProgress[]> {
  const found: ConsumerProgress[] = [];
  const request = { partition: SERVICE_PARTITION, sortKey: { beginsWith: PREFIX }, consistent: true };
  for await (const item of queriedItems(store, request)) {
    const expiry = numberOf(item[table.ttl]);
    // TTL may not have deleted an expired item yet.
    const isExpired = expiry !== undefined && Number(expiry) * 1000 < nowMs;
    const progress = isExpired ? undefined : readProgress(item);
    if (progress !== undefined) found.push(progress);
  }
  // When a consumer stops, it only says so in the items that it still has to write.
  const stopped = new Set(found.filter(({ isStopped }) => isStopped).map(({ id }) => id));
  return found.map((progress) => ({ ...progress, isStopped: stopped.has(progress.id) }));
}

/** Records before the newest applied one are applied as well, because a worker reads a shard alone and in order. */
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
