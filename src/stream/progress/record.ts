import { type Item, jsonOf, numberOf } from '../../core/items/attribute-value.ts';
import { SERVICE_PARTITION } from '../../core/items/keys.ts';
import type { TableNames } from '../../core/model/compiled.ts';
import type { ItemKey, WayOfWriting } from '../../core/store-port.ts';

/**
 * The items in which consumers of the stream and checks save their progress. They lie in the service's own partition and expire.
 * Their sort keys are in lower case, so that neither the stream's filter nor a check mistakes them for base items.
 */

/** The kind of a consumer: the stream worker, or a Lambda function. */
export type ConsumerKind = 'worker' | 'lambda';

/** A consumer's progress in one shard. */
export interface ShardProgress {
  /** Absent if the consumer does not know it: a Lambda event does not name its shard. */
  shardId?: string;
  /** Sequence number of the newest record that the consumer has applied or skipped. */
  sequenceNumber: string;
  /** When that record was made, in seconds since 1970; absent if the stream does not say. */
  madeAtSeconds?: number;
}

/** One progress item. A consumer of many shards uses several. */
export interface ConsumerProgress {
  /** Id of the consumer, unique for each process. */
  id: string;
  kind: ConsumerKind;
  /** The fingerprint of the consumer's model. */
  model: string;
  /** The label of the stream that a worker reads: a shard of another stream may have the same name. */
  stream?: string | undefined;
  /** When it wrote this record, in milliseconds since 1970. */
  seenAtMs: number;
  /** Number of applied records of base items since the progress item before, and the length of that time in milliseconds. */
  records: number;
  intervalMs: number;
  /** True if the consumer has stopped normally. */
  isStopped: boolean;
  /** How it writes known items; absent if no answer has told it yet. */
  writes?: WayOfWriting | undefined;
  shards: readonly ShardProgress[];
}

/** The result of the last check of the whole table. */
export interface LastCheck {
  endedAtMs: number;
  /** When its first page was read, or before; absent if that is not known. */
  beganAtMs?: number | undefined;
  verdict: 'clean' | 'drift' | 'failed';
  /** Differences found. After a repair: the differences that remain. */
  drift: number;
  pending: number;
  quarantined: number;
  /** Items that the table's registry does not know; absent if an earlier version wrote the item. */
  unregistered?: number;
}

/** The totals of one worker, in one night of a run over the whole table. */
export interface CheckShare {
  worker: number;
  /** When that night's run stops, in milliseconds since 1970. It distinguishes the nights. */
  untilMs: number;
  /** When the run began, of which it is a part; absent if an earlier version wrote the item. */
  beganAtMs?: number | undefined;
  drift: number;
  pending: number;
  quarantined: number;
  /** As in `LastCheck`. */
  unregistered?: number;
}

const PROGRESS_PREFIX = 'progress/';
const LAST_CHECK: ItemKey = { source: SERVICE_PARTITION, target: 'check/last' };
const CHECK_SINCE: ItemKey = { source: SERVICE_PARTITION, target: 'check/since' };
const STATE = 'state';
/** How long a progress item is kept after its last write: longer than a record stays in the stream. */
const KEPT_SECONDS = 48 * 3600;
const LAST_CHECK_KEPT_SECONDS = 90 * 24 * 3600;

const SHARE_PREFIX = 'check/share/';
/** The sort keys of all shares of a check's run. */
export const SHARE_RANGE = { beginsWith: SHARE_PREFIX } as const;

/** The sort keys of all progress records. */
export const PROGRESS_RANGE = { beginsWith: PROGRESS_PREFIX } as const;

/** Makes a progress item; `part` distinguishes the items of one consumer. */
export function progressItem(table: TableNames, progress: ConsumerProgress, part: number): Item {
  const { id, seenAtMs } = progress;
  return stateItem(table, { source: SERVICE_PARTITION, target: `${PROGRESS_PREFIX}${id}/${part}` }, progress, {
    atMs: seenAtMs,
    keptSeconds: KEPT_SECONDS,
  });
}

/** Parses a progress item; undefined if it is none, for example one of a later version. */
export function readProgress(item: Item): ConsumerProgress | undefined {
  const progress = jsonOf(item[STATE]) as Partial<ConsumerProgress> | undefined;
  return progress?.id === undefined || !Array.isArray(progress.shards) ? undefined : (progress as ConsumerProgress);
}

/** Makes the item that holds the last check. */
export function lastCheckItem(table: TableNames, check: LastCheck): Item {
  return stateItem(table, LAST_CHECK, check, { atMs: check.endedAtMs, keptSeconds: LAST_CHECK_KEPT_SECONDS });
}

/** Makes the item that holds the share of a worker in one night. */
export function checkShareItem(table: TableNames, share: CheckShare, atMs: number): Item {
  const target = `${SHARE_PREFIX}${String(share.worker).padStart(4, '0')}/${share.untilMs}`;
  return stateItem(table, { source: SERVICE_PARTITION, target }, share, { atMs, keptSeconds: LAST_CHECK_KEPT_SECONDS });
}

/** Parses a share; undefined if the item is none. */
export function readCheckShare(item: Item): CheckShare | undefined {
  const share = jsonOf(item[STATE]) as Partial<CheckShare> | undefined;
  return share?.worker === undefined || share.drift === undefined ? undefined : (share as CheckShare);
}

/** Returns the key of the item that holds the last check. */
export function lastCheckKey(): ItemKey {
  return LAST_CHECK;
}

/**
 * Makes the item that holds when somebody first asked how old the last check is. The age counts from then until a check has ended. The
 * item does not expire, because a table may never be checked.
 */
export function checkSinceItem({ partitionKey, sortKey }: TableNames, sinceMs: number): Item {
  const { source, target } = CHECK_SINCE;
  return { [partitionKey]: { S: source }, [sortKey]: { S: target }, [STATE]: { S: JSON.stringify({ sinceMs }) } };
}

/** Returns the key of that item. */
export function checkSinceKey(): ItemKey {
  return CHECK_SINCE;
}

/** Parses that item, as milliseconds since 1970; undefined if it is absent or is none. */
export function readCheckSince(item: Item | undefined): number | undefined {
  const { sinceMs } = (item && (jsonOf(item[STATE]) as { sinceMs?: unknown } | undefined | null)) ?? {};
  return typeof sinceMs === 'number' ? sinceMs : undefined;
}

/** Parses the result of the last check; undefined if the item is absent or is none. */
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

/** Tells whether the item's time is over: TTL may not have deleted it yet. */
export function isExpired({ ttl }: TableNames, item: Item, nowMs: number): boolean {
  const expiry = numberOf(item[ttl]);
  return expiry !== undefined && Number(expiry) * 1000 < nowMs;
}
