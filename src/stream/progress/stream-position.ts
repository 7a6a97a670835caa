import pLimit, { type LimitFunction } from 'p-limit';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { ItemKey, Store } from '../../core/store-port.ts';
import { checkStoreOptions } from '../../foundation/options.ts';
import { type RuntimeOptions, runtimeOf } from '../../foundation/runtime.ts';
import type { StreamSource } from '../source.ts';
import { type ConsumerProgress, readConsumers } from './consumers.ts';
import { StreamWalk, type WalkedShard } from './stream-walk.ts';

/** How far a shard of the stream is applied. */
export interface ShardPosition {
  shardId: string;
  /** True if the shard was read to its end and no compared record lacks its projection, or if the shard is lost. */
  atEnd: boolean;
  /** True if the shard was read to its end or is lost. Otherwise unread records may be waiting. */
  isWhole: boolean;
  /** Age in seconds of the oldest unclaimed record; 0 if no compared record lacks its projection. */
  behindSeconds: number;
  /**
   * Number of records from the oldest unclaimed one on, including claimed ones; 0 if no compared record lacks its
   * projection.
   */
  waiting: number;
  /**
   * True if the shard is lost, or if it was read to its end and either all its open records were compared or one of
   * those compared lacks its projection.
   */
  isCertain: boolean;
  /** True if the shard is still listed, but has left the stream, so its records can't be applied any more. */
  isLost?: boolean | undefined;
  /** Sequence number up to which all records are applied; absent if none are, or if unknown. */
  appliedUpTo?: string | undefined;
}

/** How far a whole stream is applied. */
export interface StreamPosition {
  /** When the reading began, in milliseconds since 1970. */
  lookedAtMs: number;
  consumers: ConsumerProgress[];
  shards: ShardPosition[];
  /** All records from before this time are claimed, in milliseconds since 1970; absent if the claims don't show it. */
  claimedUpToMs?: number | undefined;
  /** Number of GetRecords calls made. */
  streamReads: number;
}

/** Options of `streamPosition`. */
export interface PositionContext {
  /** @internal */
  now?: RuntimeOptions['now'];
  /** Read access to the table. */
  store: Pick<Store, 'query'>;
  /** The table's stream, such as a `DynamoDBStreamSource`. */
  source: StreamSource;
  /** Tells whether everything derived from a base item is as expected. */
  isProjected(key: ItemKey): Promise<boolean>;
  /** A walk to continue. Default: a new one, from the applied places in the table. @internal */
  walk?: StreamWalk | undefined;
}

const MOST_COMPARED = 25;
const COMPARED_AT_ONCE = 32;

/** Reads a stream and its consumers' claims to find how far it is applied. */
export async function streamPosition(graph: CompiledModel, options: PositionContext): Promise<StreamPosition> {
  const names = { store: true, source: true, isProjected: 'function', walk: 'internal', now: 'internal' } as const;
  checkStoreOptions('streamPosition', options, names);
  const context = { ...options, graph, now: runtimeOf(options).now };
  const { walk = new StreamWalk(context) } = context;
  const consumers = await readConsumers(context.store, context.graph.table, context.now());
  const { lookedAtMs, shards, upToMs, pages } = await walk.look();
  const turns = pLimit(COMPARED_AT_ONCE);
  const positions = await Promise.all(shards.map((shard) => shardPosition(context, shard, lookedAtMs, turns))).finally(
    // A failed comparison cancels those that haven't begun.
    () => turns.clearQueue(),
  );
  const claimed = upToMs === undefined ? {} : { claimedUpToMs: upToMs };
  return { lookedAtMs, consumers, shards: positions, ...claimed, streamReads: pages };
}

/** Undefined if a shard's position is uncertain. */
export function appliedUpToMs({ lookedAtMs, shards }: StreamPosition): number | undefined {
  if (shards.some(({ isCertain }) => !isCertain)) return undefined;
  return lookedAtMs - Math.max(0, ...shards.map(({ behindSeconds }) => behindSeconds)) * 1000;
}

/**
 * Returns the time before which every record is claimed as applied, in milliseconds since 1970, for `lowWatermark`;
 * undefined if the claims don't show it. Lags by up to ten seconds, the time between two writes of claims.
 */
export function notedUpToMs({ claimedUpToMs }: StreamPosition): number | undefined {
  return claimedUpToMs;
}

/**
 * An unclaimed record is either not applied or not yet claimed. To find out which, a sample is compared with its
 * derived items.
 */
async function shardPosition(
  context: PositionContext,
  { shardId, open, isWhole, isLost, appliedUpTo }: WalkedShard,
  lookedAtMs: number,
  turns: LimitFunction,
): Promise<ShardPosition> {
  if (isLost) return { shardId, atEnd: true, isWhole: true, behindSeconds: 0, waiting: 0, isCertain: true, isLost };
  const newest = new Map(open.map((one) => [JSON.stringify([one.key.source, one.key.target]), one]));
  const compared = sampleEvenly([...newest.values()], MOST_COMPARED);
  const projected = await turns.map(compared, ({ key }) => context.isProjected(key));
  const late = compared.filter((_, i) => projected[i] === false);
  const isCertain = isWhole && (late.length > 0 || compared.length === newest.size);
  const known = { shardId, isWhole, isCertain, appliedUpTo };
  if (late.length === 0) return { ...known, atEnd: isWhole, behindSeconds: 0, waiting: 0 };
  // Records may be applied out of order, so the age of the oldest open record is the safe answer.
  const oldestMs = open.reduce((oldest, { madeAtMs }) => Math.min(oldest, madeAtMs), lookedAtMs);
  const behindSeconds = (lookedAtMs - oldestMs) / 1000;
  return { ...known, atEnd: false, behindSeconds, waiting: open.length };
}

function sampleEvenly<T>(entries: readonly T[], most: number): T[] {
  if (entries.length <= most) return [...entries];
  return Array.from({ length: most }, (_, i) => entries[Math.round((i * (entries.length - 1)) / (most - 1))]!);
}
