import pLimit, { type LimitFunction } from 'p-limit';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { ItemKey, Store } from '../../core/store-port.ts';
import { checkStoreOptions } from '../../foundation/options.ts';
import { type RuntimeOptions, runtimeOf } from '../../foundation/runtime.ts';
import type { StreamSource } from '../source.ts';
import { readConsumers } from './consumers.ts';
import type { ConsumerProgress } from './record.ts';
import { StreamWalk, type WalkedShard } from './stream-walk.ts';

/**
 * How far a stream is applied, whichever consumers read it. Each shard is read from its applied place to its end. A record that no claim
 * holds is either not applied, or applied and not claimed yet. So some of these records are compared with their derived items.
 */

/** How far one shard of the stream is applied. */
export interface ShardPosition {
  shardId: string;
  /** True if every record for the projector is applied. */
  atEnd: boolean;
  /** True if the shard was read to its end. If not, records that were not read may wait. */
  isWhole: boolean;
  /** Age of the oldest record that is not applied, in seconds; 0 if there is none. */
  behindSeconds: number;
  /** Number of records that are not applied, as far as they were counted. */
  waiting: number;
  /**
   * True if the other fields are certain: the shard was read to its end, and all its open records were compared or one of them was
   * found late. False if only a sample was compared and nothing in it was late.
   */
  isCertain: boolean;
  /** True if the stream lists it, closed, but no longer has it: nobody can apply the records that it may have had. */
  isLost?: boolean | undefined;
  /** The last record up to which all records are applied; absent if there is none, or it is not known. */
  appliedUpTo?: string | undefined;
}

/** How far a whole stream is applied. */
export interface StreamPosition {
  /** When the reading began, in milliseconds since 1970. */
  lookedAtMs: number;
  consumers: ConsumerProgress[];
  shards: ShardPosition[];
  /**
   * Every record made before this time has a claim, in milliseconds since 1970; absent if the claims do not show it, for example if
   * several batches of a shard are applied at a time.
   */
  claimedUpToMs?: number | undefined;
  /** GetRecords calls that this took. */
  streamReads: number;
}

/** The values that reading the position needs. */
export interface PositionContext {
  /** @internal */
  now?: RuntimeOptions['now'];
  /** The table. */
  store: Pick<Store, 'query'>;
  /** The stream of the table. */
  source: StreamSource;
  /** Tells whether the derived items of a base item are as expected. */
  isProjected(key: ItemKey): Promise<boolean>;
  /** A walk to continue. Default: a new one, from the applied places in the table. @internal */
  walk?: StreamWalk | undefined;
}

/** At most this many base items of a shard are compared with their derived items. */
const MOST_COMPARED = 25;
/** Base items that are compared at once, of all shards together. */
const COMPARED_AT_ONCE = 32;

/** Reads how far a stream is applied. */
export async function streamPosition(graph: CompiledModel, options: PositionContext): Promise<StreamPosition> {
  const names = { store: true, source: true, isProjected: true, walk: true, now: true } as const;
  checkStoreOptions('streamPosition', options, names);
  const context = { ...options, graph, now: runtimeOf(options).now };
  const { walk = new StreamWalk(context) } = context;
  const consumers = await readConsumers(context.store, context.graph.table, context.now());
  const { lookedAtMs, shards, upToMs, pages } = await walk.look();
  const turns = pLimit(COMPARED_AT_ONCE);
  const positions = await Promise.all(shards.map((shard) => shardPosition(context, shard, lookedAtMs, turns))).finally(
    // Where one comparison fails, those that wait for their turn are not made.
    () => turns.clearQueue(),
  );
  const claimed = upToMs === undefined ? {} : { claimedUpToMs: upToMs };
  return { lookedAtMs, consumers, shards: positions, ...claimed, streamReads: pages };
}

/** The time before which every record is applied, in milliseconds since 1970; undefined if that is not certain. */
export function appliedUpToMs({ lookedAtMs, shards }: StreamPosition): number | undefined {
  if (shards.some(({ isCertain }) => !isCertain)) return undefined;
  return lookedAtMs - Math.max(0, ...shards.map(({ behindSeconds }) => behindSeconds)) * 1000;
}

/**
 * The time before which every record is claimed as applied, in milliseconds since 1970; undefined if the claims do not show it. It
 * is for `lowWatermark`, and uses no comparison: a comparison cannot distinguish a value that is still there from one that was replaced
 * and then written again. It lags by the time between two writes of a consumer's claims, ten seconds.
 */
export function notedUpToMs({ claimedUpToMs }: StreamPosition): number | undefined {
  return claimedUpToMs;
}

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
  // The first record may be applied already while a later one is not. The age of the oldest open record is the cautious answer.
  const oldestMs = open.reduce((oldest, { madeAtMs }) => Math.min(oldest, madeAtMs), lookedAtMs);
  const behindSeconds = (lookedAtMs - oldestMs) / 1000;
  return { ...known, atEnd: false, behindSeconds, waiting: open.length };
}

/** Picks at most `most` of some entries: the first, the last, and evenly spread ones between. */
function sampleEvenly<T>(entries: readonly T[], most: number): T[] {
  if (entries.length <= most) return [...entries];
  return Array.from({ length: most }, (_, i) => entries[Math.round((i * (entries.length - 1)) / (most - 1))]!);
}
