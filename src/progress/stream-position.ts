import pMap from 'p-map';
import { SERVICE_PARTITION } from '../items/keys.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { queriedItems } from '../store/pages.ts';
import type { ItemKey, Store } from '../store/port.ts';
import type { StreamSource } from '../stream/source.ts';
import { type ConsumerProgress, isExpired, PROGRESS_RANGE, readProgress } from './record.ts';
import { StreamWalk, type WalkedShard } from './stream-walk.ts';

/**
 * How far the consumers of a stream have come, whatever they are: each shard is read on from the mark of what is applied, until its
 * end. What no claim holds there is not applied, or applied and not claimed yet: a few of these records are compared with what is
 * derived from them.
 */

/** How far one shard of the stream is applied. */
export interface ShardPosition {
  shardId: string;
  /** Whether nothing that concerns the projector is left unapplied. */
  atEnd: boolean;
  /** Age of the oldest record that is not applied, in seconds; 0 at the end. */
  behindSeconds: number;
  /** Records that are not applied, as far as they were counted. */
  waiting: number;
  /** Whether this is certain: every record was compared, or none had to be. Else some of them stood for the rest. */
  isCertain: boolean;
}

/** How far a whole stream is applied. */
export interface StreamPosition {
  /** When it was looked at, in milliseconds since 1970. */
  lookedAtMs: number;
  consumers: ConsumerProgress[];
  shards: ShardPosition[];
  /**
   * Every record made before this moment is held by a claim of a consumer, in milliseconds since 1970; absent where claims cannot
   * tell, as where several batches of a shard are applied at a time.
   */
  claimedUpToMs?: number | undefined;
}

/** What telling the position needs. */
export interface PositionContext {
  graph: CompiledModel;
  /** The table. */
  store: Pick<Store, 'query'>;
  source: StreamSource;
  /** Whether what is derived from a base item is as the base item wants it. */
  isProjected(key: ItemKey): Promise<boolean>;
  /** Clock in milliseconds since 1970. */
  now: () => number;
  /** The walk that is gone on with. Default: one from the marks that the table has. */
  walk?: StreamWalk | undefined;
}

/** Base items of a shard that are compared with what is derived from them. */
const MOST_COMPARED = 25;
/** Shards of which records are compared at once, and records of each. */
const SHARDS_AT_ONCE = 4;
const COMPARED_AT_ONCE = 8;

/** The progress records of a table whose time is not over. */
export async function readConsumers(
  { graph, store }: Pick<PositionContext, 'graph' | 'store'>,
  nowMs: number,
): Promise<ConsumerProgress[]> {
  const found: ConsumerProgress[] = [];
  const request = { partition: SERVICE_PARTITION, sortKey: PROGRESS_RANGE, consistent: true };
  for await (const item of queriedItems(store, request)) {
    const progress = isExpired(graph.table, item, nowMs) ? undefined : readProgress(item);
    if (progress !== undefined) found.push(progress);
  }
  return found;
}

/** Tells how far a stream is applied. */
export async function streamPosition(context: PositionContext): Promise<StreamPosition> {
  const { walk = new StreamWalk(context) } = context;
  const consumers = await readConsumers(context, context.now());
  const { lookedAtMs, shards, upToMs } = await walk.look();
  const positions = await pMap(shards, (shard) => shardPosition(context, shard, lookedAtMs), {
    concurrency: SHARDS_AT_ONCE,
  });
  return { lookedAtMs, consumers, shards: positions, ...(upToMs !== undefined && { claimedUpToMs: upToMs }) };
}

/** Every record made before this moment is applied, in milliseconds since 1970; undefined where that is not certain. */
export function appliedUpToMs({ lookedAtMs, shards }: StreamPosition): number | undefined {
  if (shards.some(({ isCertain }) => !isCertain)) return undefined;
  return lookedAtMs - Math.max(0, ...shards.map(({ behindSeconds }) => behindSeconds)) * 1000;
}

/**
 * Every record made before this moment is claimed as applied, in milliseconds since 1970; undefined where claims cannot tell. Nothing
 * rests on comparing, which cannot tell a value that is there from one that comes again after another: for `lowMark`. It lags by the
 * time between two writes of a consumer's claims, ten seconds.
 */
export function notedUpToMs({ claimedUpToMs }: StreamPosition): number | undefined {
  return claimedUpToMs;
}

async function shardPosition(
  context: PositionContext,
  { shardId, open, isWhole }: WalkedShard,
  lookedAtMs: number,
): Promise<ShardPosition> {
  const newest = new Map(open.map((one) => [JSON.stringify([one.key.source, one.key.target]), one]));
  const compared = spread([...newest.values()], MOST_COMPARED);
  const projected = await pMap(compared, ({ key }) => context.isProjected(key), { concurrency: COMPARED_AT_ONCE });
  const late = compared.filter((_, i) => projected[i] === false);
  const isCertain = isWhole && (late.length > 0 || compared.length === newest.size);
  if (late.length === 0) return { shardId, atEnd: isWhole, behindSeconds: 0, waiting: 0, isCertain };
  // What was made first may be applied already and something behind it not: the oldest of all is the cautious answer.
  const oldestMs = open.reduce((oldest, { madeAtMs }) => Math.min(oldest, madeAtMs), lookedAtMs);
  const behindSeconds = (lookedAtMs - oldestMs) / 1000;
  return { shardId, atEnd: false, behindSeconds, waiting: open.length, isCertain };
}

/** At most `most` of some entries: the first, the last, and evenly spread ones between. */
function spread<T>(entries: readonly T[], most: number): T[] {
  if (entries.length <= most) return [...entries];
  return Array.from({ length: most }, (_, i) => entries[Math.round((i * (entries.length - 1)) / (most - 1))]!);
}
