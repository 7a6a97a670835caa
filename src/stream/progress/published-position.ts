import type { OfGraph } from '../../core/model/compiled.ts';
import type { Store } from '../../core/store-port.ts';
import { type PublishedLowWatermark, readPublishedLowWatermark } from './applied-places.ts';
import { readConsumers } from './consumers.ts';
import type { PositionContext, StreamPosition } from './stream-position.ts';

/** If the published position is older, the stream is read instead. */
const FRESH_MS = 15_000;
/** Consumers write claims every ten seconds, so an open record up to this age may be applied but not yet claimed. */
const CLAIM_MS = 15_000;

type PublishedContext = Pick<OfGraph<PositionContext>, 'graph' | 'source'> & {
  now: () => number;
  store: Pick<Store, 'get' | 'query'>;
};

export async function publishedUpToMs(context: PublishedContext): Promise<number | undefined> {
  return (await freshLowWatermark(context))?.upToMs;
}

/**
 * Returns the position that another process published, because a stream only serves two readers well. A shard counts as
 * applied while its oldest open record is younger than `CLAIM_MS`.
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
