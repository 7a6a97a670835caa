import pMap from 'p-map';
import { stringOf } from '../items/attribute-value.ts';
import { SERVICE_PARTITION } from '../items/keys.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { queriedItems } from '../store/pages.ts';
import type { ItemKey, Store } from '../store/port.ts';
import { isBaseSortKey, isContinuationKey } from '../stream/filter.ts';
import { ShardPages } from '../stream/shard-pages.ts';
import { StreamError, type StreamRecord, type StreamSource } from '../stream/source.ts';
import { type ConsumerProgress, isExpired, PROGRESS_RANGE, readProgress } from './record.ts';

/**
 * How far the consumers of a stream have come, whatever they are: each shard is read on from the newest record that a
 * progress record names, until its end. What concerns the projector there is not applied, or applied and not noted yet: a
 * few of these records are compared with what is derived from them.
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
  /** When the oldest record was made that no consumer has noted as applied, in milliseconds since 1970; absent: there is none. */
  unnotedSinceMs?: number;
}

/** How far a whole stream is applied. */
export interface StreamPosition {
  /** When it was looked at, in milliseconds since 1970. */
  lookedAtMs: number;
  consumers: ConsumerProgress[];
  shards: ShardPosition[];
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
}

/** Pages of a shard that are read at most: 50,000 records. What lies behind them is not counted. */
export const MOST_PAGES = 50;
/** Empty pages in a row that are taken for the end of a shard: a page may be empty before it. */
export const EMPTY_PAGES = 2;
/** Base items of a shard that are compared with what is derived from them. */
const MOST_COMPARED = 25;
/** Shards that are read at once. */
export const SHARDS_AT_ONCE = 4;
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
  const lookedAtMs = context.now();
  const consumers = await readConsumers(context, lookedAtMs);
  const { shards } = await context.source.describe();
  const positions = await pMap(shards, ({ shardId }) => shardPosition(context, shardId, consumers, lookedAtMs), {
    concurrency: SHARDS_AT_ONCE,
  });
  return { lookedAtMs, consumers, shards: positions };
}

/** Every record made before this moment is applied, in milliseconds since 1970; undefined where that is not certain. */
export function appliedUpToMs({ lookedAtMs, shards }: StreamPosition): number | undefined {
  if (shards.some(({ isCertain }) => !isCertain)) return undefined;
  return lookedAtMs - Math.max(0, ...shards.map(({ behindSeconds }) => behindSeconds)) * 1000;
}

/**
 * Every record made before this moment is noted as applied, in milliseconds since 1970. Nothing rests on comparing, which
 * cannot tell a value that is there from one that comes again after another: for `lowMark`. It lags by the time between two
 * notes of a consumer, ten seconds.
 */
export function notedUpToMs({ lookedAtMs, shards }: StreamPosition): number {
  return Math.min(lookedAtMs, ...shards.map(({ unnotedSinceMs = lookedAtMs }) => unnotedSinceMs));
}

/** A record that no progress record covers. */
interface Waiting {
  key: ItemKey;
  madeAtMs: number;
}

async function shardPosition(
  context: PositionContext,
  shardId: string,
  consumers: readonly ConsumerProgress[],
  lookedAtMs: number,
): Promise<ShardPosition> {
  const { waiting, isWhole } = await waitingIn(context, shardId, await notedIn(context, shardId, consumers));
  const newest = new Map(waiting.map((one) => [JSON.stringify([one.key.source, one.key.target]), one]));
  const compared = spread([...newest.values()], MOST_COMPARED);
  const projected = await pMap(compared, ({ key }) => context.isProjected(key), { concurrency: COMPARED_AT_ONCE });
  const late = compared.filter((_, i) => projected[i] === false);
  const isCertain = isWhole && (late.length > 0 || compared.length === newest.size);
  // What was made first may be applied already and something behind it not: the oldest of all is the cautious answer.
  const oldestMs = Math.min(...waiting.map(({ madeAtMs }) => madeAtMs));
  const unnoted = waiting.length === 0 ? {} : { unnotedSinceMs: oldestMs };
  if (late.length === 0) return { shardId, atEnd: isWhole, behindSeconds: 0, waiting: 0, isCertain, ...unnoted };
  const behindSeconds = Math.max(0, (lookedAtMs - oldestMs) / 1000);
  return { shardId, atEnd: false, behindSeconds, waiting: waiting.length, isCertain, ...unnoted };
}

/** The newest record of a shard that a consumer has noted as applied. */
export async function notedIn(
  { source }: Pick<PositionContext, 'source'>,
  shardId: string,
  consumers: readonly ConsumerProgress[],
): Promise<string | undefined> {
  const noted: string[] = [];
  for (const shard of consumers.flatMap(({ shards }) => shards)) {
    if (shard.shardId === shardId) noted.push(shard.sequenceNumber);
    else if (shard.shardId === undefined && (await isIn(source, shardId, shard.sequenceNumber))) {
      noted.push(shard.sequenceNumber);
    }
  }
  return noted.reduce<string | undefined>(
    (newest, one) => (newest === undefined || BigInt(one) > BigInt(newest) ? one : newest),
    undefined,
  );
}

async function isIn(source: StreamSource, shardId: string, sequenceNumber: string): Promise<boolean> {
  try {
    await source.iterator(shardId, sequenceNumber);
    return true;
  } catch (error) {
    if (error instanceof StreamError) return false;
    throw error;
  }
}

async function waitingIn(
  { graph, source, now }: PositionContext,
  shardId: string,
  after: string | undefined,
): Promise<{ waiting: Waiting[]; isWhole: boolean }> {
  const waiting: Waiting[] = [];
  const reader = new ShardPages(source, shardId, { after }, () => undefined);
  let empty = 0;
  for (let page = 0; page < MOST_PAGES; page++) {
    const { records, next } = await reader.next();
    for (const record of records) {
      const one = concerning(graph, record, now());
      if (one !== undefined) waiting.push(one);
    }
    empty = records.length === 0 ? empty + 1 : 0;
    if (next === undefined || empty >= EMPTY_PAGES) return { waiting, isWhole: true };
  }
  return { waiting, isWhole: false };
}

/** A record that the projector has to apply; undefined for all others. */
function concerning({ table }: CompiledModel, { dynamodb }: StreamRecord, nowMs: number): Waiting | undefined {
  const source = stringOf(dynamodb?.Keys?.[table.partitionKey]);
  const target = stringOf(dynamodb?.Keys?.[table.sortKey]);
  if (source === undefined || target === undefined) return undefined;
  if (!isBaseSortKey(target) && !isContinuationKey(target)) return undefined;
  const made = dynamodb?.ApproximateCreationDateTime;
  const madeAtMs = made instanceof Date ? made.getTime() : typeof made === 'number' ? made * 1000 : nowMs;
  return { key: { source, target }, madeAtMs };
}

/** At most `most` of some entries: the first, the last, and evenly spread ones between. */
function spread<T>(entries: readonly T[], most: number): T[] {
  if (entries.length <= most) return [...entries];
  return Array.from({ length: most }, (_, i) => entries[Math.round((i * (entries.length - 1)) / (most - 1))]!);
}
