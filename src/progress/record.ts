import { type Item, numberOf, stringOf } from '../items/attribute-value.ts';
import { SERVICE_PARTITION } from '../items/keys.ts';
import type { TableNames } from '../model/compiled.ts';
import type { ItemKey } from '../store/port.ts';

/**
 * What consumers of the stream and checks leave in the table about how far they have come. The records lie in the service's
 * own partition, with an expiry; their sort keys are in lower case, so that neither the stream's filter nor a check takes
 * them for base items.
 */

/** What a consumer is: the stream worker, or a Lambda function. */
export type ConsumerKind = 'worker' | 'lambda';

/** How far a consumer has come in one shard. */
export interface ShardProgress {
  /** Absent where the consumer does not know it: a Lambda event does not name its shard. */
  shardId?: string;
  /** Sequence number of the newest record that it has applied, or passed. */
  sequenceNumber: string;
  /** When that record was made, in seconds since 1970; absent where the stream does not say. */
  madeAtSeconds?: number;
}

/** One progress record. A consumer of many shards spreads them over several. */
export interface ConsumerProgress {
  /** Names the consumer: unique for each process. */
  id: string;
  kind: ConsumerKind;
  /** The fingerprint of its model. */
  model: string;
  /** When it wrote this record, in milliseconds since 1970. */
  seenAtMs: number;
  /** Base items' records applied between its last two records of progress, and the time between them. */
  records: number;
  intervalMs: number;
  /** Whether it has stopped by itself. */
  isStopped: boolean;
  shards: readonly ShardProgress[];
}

/** What the last check of the whole table came to. */
export interface LastCheck {
  endedAtMs: number;
  verdict: 'clean' | 'drift' | 'failed';
  /** Differences found; after a repair those that are left. */
  drift: number;
  pending: number;
  quarantined: number;
  /** Items that the table's registry does not know; absent in notes of earlier versions. */
  unregistered?: number;
}

/** What one worker of a run over the whole table has come to, in one night. */
export interface CheckShare {
  worker: number;
  /** When that night's run stops, in milliseconds since 1970: it tells the nights apart. */
  untilMs: number;
  drift: number;
  pending: number;
  quarantined: number;
  /** As of the last check. */
  unregistered?: number;
}

const PROGRESS_PREFIX = 'progress/';
const LAST_CHECK: ItemKey = { source: SERVICE_PARTITION, target: 'check/last' };
const STATE = 'state';
/** How long a record is kept after its consumer was seen last: longer than a stream record lives. */
const KEPT_SECONDS = 48 * 3600;
const LAST_CHECK_KEPT_SECONDS = 90 * 24 * 3600;

const SHARE_PREFIX = 'check/share/';
/** The sort keys of the shares of a check's run. */
export const SHARE_RANGE = { beginsWith: SHARE_PREFIX } as const;

/** The sort keys of all progress records. */
export const PROGRESS_RANGE = { beginsWith: PROGRESS_PREFIX } as const;

/** The item of a progress record; `part` tells the records of one consumer apart. */
export function progressItem(table: TableNames, progress: ConsumerProgress, part: number): Item {
  const { id, seenAtMs } = progress;
  return item(table, { source: SERVICE_PARTITION, target: `${PROGRESS_PREFIX}${id}/${part}` }, progress, {
    atMs: seenAtMs,
    keptSeconds: KEPT_SECONDS,
  });
}

/** Reads a progress record; undefined where the item is none, as one of a later version. */
export function readProgress(item: Item): ConsumerProgress | undefined {
  const progress = stateOf(item) as Partial<ConsumerProgress> | undefined;
  return progress?.id === undefined || !Array.isArray(progress.shards) ? undefined : (progress as ConsumerProgress);
}

/** The item that keeps the last check. */
export function lastCheckItem(table: TableNames, check: LastCheck): Item {
  return item(table, LAST_CHECK, check, { atMs: check.endedAtMs, keptSeconds: LAST_CHECK_KEPT_SECONDS });
}

/** The item that keeps the share of a worker in one night. */
export function checkShareItem(table: TableNames, share: CheckShare, atMs: number): Item {
  const target = `${SHARE_PREFIX}${String(share.worker).padStart(4, '0')}/${share.untilMs}`;
  return item(table, { source: SERVICE_PARTITION, target }, share, { atMs, keptSeconds: LAST_CHECK_KEPT_SECONDS });
}

/** Reads a share; undefined where the item is none. */
export function readCheckShare(item: Item): CheckShare | undefined {
  const share = stateOf(item) as Partial<CheckShare> | undefined;
  return share?.worker === undefined || share.drift === undefined ? undefined : (share as CheckShare);
}

/** Where the last check is kept. */
export function lastCheckKey(): ItemKey {
  return LAST_CHECK;
}

/** Reads what the last check came to. */
export function readLastCheck(item: Item | undefined): LastCheck | undefined {
  const check = item && (stateOf(item) as Partial<LastCheck> | undefined);
  return check?.verdict === undefined ? undefined : (check as LastCheck);
}

function item(
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

function stateOf(item: Item): unknown {
  try {
    return JSON.parse(stringOf(item[STATE]) ?? 'null');
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Whether TTL would delete an item by now, although it has not done so yet. */
export function isExpired({ ttl }: TableNames, item: Item, nowMs: number): boolean {
  const expiry = numberOf(item[ttl]);
  return expiry !== undefined && Number(expiry) * 1000 < nowMs;
}
