import { type Item, jsonOf, numberOf } from '../../core/items/attribute-value.ts';
import { SERVICE_PARTITION } from '../../core/items/keys.ts';
import type { TableNames } from '../../core/model/compiled.ts';
import type { ItemKey, WayOfWriting } from '../../core/store-port.ts';

/**
 * Items in which consumers and checks save their progress. Their sort keys are lower case, so that neither the stream's
 * filter nor a check mistakes them for base items.
 */

/** The stream worker, or a Lambda function. */
export type ConsumerKind = 'worker' | 'lambda';

/** How far a consumer has come in one shard of the stream. */
export interface ShardProgress {
  /** Absent if unknown: a Lambda event doesn't name its shard. */
  shardId?: string;
  sequenceNumber: string;
  madeAtSeconds?: number;
}

/** A progress item. A consumer of many shards uses several. */
export interface ConsumerProgress {
  /** The consumer's id, unique for each process. */
  id: string;
  kind: ConsumerKind;
  /** The fingerprint of the consumer's model. */
  model: string;
  /** The stream's label, for a worker: a shard of another stream may have the same name. */
  stream?: string | undefined;
  /** When it was written, in milliseconds since 1970. */
  seenAtMs: number;
  /** Records applied since the previous progress item, and the length of that time in milliseconds. */
  records: number;
  intervalMs: number;
  /** True if the consumer has stopped normally. */
  isStopped: boolean;
  /** How it writes known items; absent until an answer tells. */
  writes?: WayOfWriting | undefined;
  shards: readonly ShardProgress[];
}

/** The result of the last check of the whole table. */
export interface LastCheck {
  endedAtMs: number;
  /** When its first page was read, or earlier; absent if unknown. */
  beganAtMs?: number | undefined;
  verdict: 'clean' | 'drift' | 'failed';
  /** Differences found, or remaining after a repair. */
  drift: number;
  pending: number;
  quarantined: number;
  /** Items that the table's registry doesn't know. */
  unregistered?: number;
}

export interface CheckShare {
  worker: number;
  /** Distinguishes one night from another, in milliseconds since 1970. */
  untilMs: number;
  beganAtMs?: number | undefined;
  drift: number;
  pending: number;
  quarantined: number;
  unregistered?: number;
}

const PROGRESS_PREFIX = 'progress/';
const LAST_CHECK: ItemKey = { source: SERVICE_PARTITION, target: 'check/last' };
const CHECK_SINCE: ItemKey = { source: SERVICE_PARTITION, target: 'check/since' };
const STATE = 'state';
const KEPT_SECONDS = 48 * 3600;
const LAST_CHECK_KEPT_SECONDS = 90 * 24 * 3600;

const SHARE_PREFIX = 'check/share/';
export const SHARE_RANGE = { beginsWith: SHARE_PREFIX } as const;

export const PROGRESS_RANGE = { beginsWith: PROGRESS_PREFIX } as const;

export function progressItem(table: TableNames, progress: ConsumerProgress, part: number): Item {
  const { id, seenAtMs } = progress;
  return stateItem(table, { source: SERVICE_PARTITION, target: `${PROGRESS_PREFIX}${id}/${part}` }, progress, {
    atMs: seenAtMs,
    keptSeconds: KEPT_SECONDS,
  });
}

export function readProgress(item: Item): ConsumerProgress | undefined {
  const progress = jsonOf(item[STATE]) as Partial<ConsumerProgress> | undefined;
  return progress?.id === undefined || !Array.isArray(progress.shards) ? undefined : (progress as ConsumerProgress);
}

export function lastCheckItem(table: TableNames, check: LastCheck): Item {
  return stateItem(table, LAST_CHECK, check, { atMs: check.endedAtMs, keptSeconds: LAST_CHECK_KEPT_SECONDS });
}

export function checkShareItem(table: TableNames, share: CheckShare, atMs: number): Item {
  const target = `${SHARE_PREFIX}${String(share.worker).padStart(4, '0')}/${share.untilMs}`;
  return stateItem(table, { source: SERVICE_PARTITION, target }, share, { atMs, keptSeconds: LAST_CHECK_KEPT_SECONDS });
}

export function readCheckShare(item: Item): CheckShare | undefined {
  const share = jsonOf(item[STATE]) as Partial<CheckShare> | undefined;
  return share?.worker === undefined || share.drift === undefined ? undefined : (share as CheckShare);
}

export function lastCheckKey(): ItemKey {
  return LAST_CHECK;
}

/** The age of a check counts from then until one has ended. Doesn't expire, since a table may never be checked. */
export function checkSinceItem({ partitionKey, sortKey }: TableNames, sinceMs: number): Item {
  const { source, target } = CHECK_SINCE;
  return { [partitionKey]: { S: source }, [sortKey]: { S: target }, [STATE]: { S: JSON.stringify({ sinceMs }) } };
}

export function checkSinceKey(): ItemKey {
  return CHECK_SINCE;
}

export function readCheckSince(item: Item | undefined): number | undefined {
  const { sinceMs } = (item && (jsonOf(item[STATE]) as { sinceMs?: unknown } | undefined | null)) ?? {};
  return typeof sinceMs === 'number' ? sinceMs : undefined;
}

export function readLastCheck(item: Item | undefined): LastCheck | undefined {
  const check = item && (jsonOf(item[STATE]) as Partial<LastCheck> | undefined);
  return check?.verdict === undefined ? undefined : (check as LastCheck);
}

function stateItem(
  { partitionKey, sortKey, ttl }: TableNames,
  { source, target }: ItemKey,
  state: object,
  { atMs, keptSeconds }: { atMs: number; keptSeconds: number },
): Item {
  return {
    [partitionKey]: { S: source },
    [sortKey]: { S: target },
    [STATE]: { S: JSON.stringify(state) },
    [ttl]: { N: String(Math.floor(atMs / 1000) + keptSeconds) },
  };
}

/** TTL may not have deleted it yet. */
export function isExpired({ ttl }: TableNames, item: Item, nowMs: number): boolean {
  const expiry = numberOf(item[ttl]);
  return expiry !== undefined && Number(expiry) * 1000 < nowMs;
}
