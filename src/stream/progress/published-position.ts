import type { OfGraph } from '../../core/model/compiled.ts';
import type { Store } from '../../core/store-port.ts';
import { type PublishedLowWatermark, readPublishedLowWatermark } from './applied-places.ts';
import { readConsumers } from './consumers.ts';
import type { PositionContext, StreamPosition } from './stream-position.ts';

/**
 * The position that one process publishes for all others, the observer above all: whoever asks it reads an item instead of the stream,
 * which serves two readers well.
 */

/** A published position older than this says nothing of now: the stream is read. In milliseconds. */
const FRESH_MS = 15_000;
/** Consumers write their claims every ten seconds. So a record that was published as open may be applied up to this age. */
const CLAIM_MS = 15_000;

type PublishedContext = Pick<OfGraph<PositionContext>, 'graph' | 'source'> & {
  now: () => number;
  store: Pick<Store, 'get' | 'query'>;
};

/** The time before which every record is applied, as a process has published it lately, in milliseconds since 1970; undefined: none has. */
export async function publishedUpToMs(context: PublishedContext): Promise<number | undefined> {
  return (await freshLowWatermark(context))?.upToMs;
}

/**
 * How far the stream is applied, as a process has published it lately; undefined: none has, or the claims do not show it. A shard
 * counts as applied while its oldest open record is younger than the claims of consumers are late.
 */
export async function publishedPosition(context: PublishedContext): Promise<StreamPosition | undefined> {
  const { lookedAtMs, upToMs, shards } = (await freshLowWatermark(context)) ?? {};
  if (lookedAtMs === undefined || upToMs === undefined || shards === undefined) return undefined;
  return {
    lookedAtMs,
    consumers: await readConsumers(context.store, context.graph.table, context.now()),
    shards: shards.map(({ shardId, open, oldestMs = lookedAtMs, isLost }) => {
      const atEnd = lookedAtMs - oldestMs < CLAIM_MS;
      const [behindSeconds, waiting] = atEnd ? [0, 0] : [(lookedAtMs - oldestMs) / 1000, open];
      return { shardId, atEnd, isWhole: true, behindSeconds, waiting, isCertain: false, isLost };
    }),
    claimedUpToMs: upToMs,
    streamReads: 0,
  };
}

async function freshLowWatermark({ store, source, now }: PublishedContext): Promise<PublishedLowWatermark | undefined> {
  const { published } = await readPublishedLowWatermark(store);
  if (published?.streamArn !== source.streamArn) return undefined;
  return now() - published.lookedAtMs < FRESH_MS ? published : undefined;
}
