import pMap from 'p-map';
import { streamLabel, watermarkOf } from '../../core/items/watermark.ts';
import { ShardPages } from '../shard-pages.ts';
import { isNoShardError } from '../source.ts';
import type { NewestPositionSource } from '../stream-label.ts';
import { type AppliedPlace, readAppliedPlaces } from './applied-places.ts';
import { EMPTY_PAGES, MOST_PAGES, SHARDS_AT_ONCE, type WalkContext } from './stream-walk.ts';

/** The newest record read of a shard, and whether the reading reached the shard's end. */
interface Place {
  newest: string | undefined;
  isEnd: boolean;
}

/**
 * Makes a function that returns an upper bound for the stream's sequence numbers, as a watermark: ten times the highest number that
 * the shards hold. The factor is needed because numbers need not rise from one shard to another, and because records leave the
 * stream. The function returns undefined if a shard has more than 50,000 records after its applied place, or if the stream holds no records.
 *
 * Each call reads a shard from where the last call ended. The first call begins at the applied places.
 */
export function newestPositionOf(context: Pick<WalkContext, 'graph' | 'store' | 'source'>): NewestPositionSource {
  const label = streamLabel(context.source.streamArn);
  const places = new Map<string, Place>();
  return async () => {
    const { shards } = await context.source.describe();
    const unseen = shards.some(({ shardId }) => !places.has(shardId));
    const applied = unseen
      ? await readAppliedPlaces(context.store, context.graph.table, label)
      : new Map<string, AppliedPlace>();
    await pMap(
      shards,
      async ({ shardId }) => {
        const seen = places.get(shardId);
        // A shard that is too long is not read further: the calls together would read all of it.
        if (seen?.isEnd === false) return;
        const after = seen === undefined ? applied.get(shardId)?.sequenceNumber : seen.newest;
        places.set(shardId, await readToOpenEndIfThere(context, shardId, after));
      },
      { concurrency: SHARDS_AT_ONCE },
    );
    const found = [...places.values()];
    if (found.some(({ isEnd }) => !isEnd)) return undefined;
    const numbers = found.flatMap(({ newest }) => (newest === undefined ? [] : [BigInt(newest)]));
    if (numbers.length === 0) return undefined;
    const highest = numbers.reduce((left, right) => (left > right ? left : right));
    return watermarkOf(label, `${highest}0`);
  };
}

/** As `readToOpenEnd`; a shard that has left the stream since it was listed ends where it was read last. */
async function readToOpenEndIfThere(
  context: Pick<WalkContext, 'source'>,
  shardId: string,
  after: string | undefined,
): Promise<Place> {
  try {
    return await readToOpenEnd(context, shardId, after);
  } catch (error) {
    if (isNoShardError(error)) return { newest: after, isEnd: true };
    throw error;
  }
}

async function readToOpenEnd(
  { source }: Pick<WalkContext, 'source'>,
  shardId: string,
  after: string | undefined,
): Promise<Place> {
  const reader = new ShardPages(source, shardId, { after }, () => undefined);
  let newest = after;
  let empty = 0;
  for (let page = 0; page < MOST_PAGES; page++) {
    const { records, isEnd } = await reader.next();
    newest = records.at(-1)?.dynamodb?.SequenceNumber ?? newest;
    empty = records.length === 0 ? empty + 1 : 0;
    if (isEnd || empty >= EMPTY_PAGES) return { newest, isEnd: true };
  }
  return { newest, isEnd: false };
}
