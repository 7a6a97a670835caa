import { randomUUID } from 'node:crypto';
import type { ChangeRecord } from '../../core/items/change-record.ts';
import type { OfGraph } from '../../core/model/compiled.ts';
import { runtimeOf } from '../../foundation/runtime.ts';
import { decodeRecords } from '../../stream/decode.ts';
import { saveAppliedPlaces } from '../../stream/progress/applied-places.ts';
import { claimOf } from '../../stream/progress/claims.ts';
import { claimsItem } from '../../stream/progress/claims-item.ts';
import { EMPTY_PAGES, type OpenChange, StreamWalk, type WalkedShard } from '../../stream/progress/stream-walk.ts';
import { type ShardPage, ShardPages } from '../../stream/shard-pages.ts';
import { isNoShardError, type StreamSource } from '../../stream/source.ts';
import { addRedrive, emptyRedrive, type RedriveOptions, type RedriveResult } from './redrive.ts';
import { redriveRecords } from './redrive-records.ts';

/** Options of a sweep. */
export interface SweepOptions extends OfGraph<RedriveOptions> {
  /** The table's stream. */
  source: StreamSource;
  /** How old a record without a claim must be to be swept, in milliseconds. Default 60,000. */
  ageMs?: number | undefined;
}

/** A consumer writes its claims every ten seconds. A function with steady calls writes them in time too. */
const AGE_MS = 60_000;

/**
 * Reconciles the stream's records that no consumer has claimed within a minute, with the base items, and claims them. Such records
 * are of a batch that a consumer gave up without a report, or of a function that applied them but was frozen after its last call
 * before it wrote its claims. Without a sweep the low watermark of the stream does not move for a day. Unclaimed records that newer records
 * follow are left to the consumer, which may be behind. If several batches of a shard are applied at a time, its claims do not show
 * what is unclaimed, and the shard is skipped. The sweep saves the applied place of each shard: the next reader of the stream begins at that place.
 */
export async function sweep(options: SweepOptions): Promise<RedriveResult> {
  const { graph, store, source, ageMs = AGE_MS } = options;
  const { now, remainingMs } = runtimeOf(options);
  const total = emptyRedrive();
  const { shards, lookedAtMs } = await new StreamWalk({ graph, store, source, now }).look();
  // A function cannot leave applied places: it is not told the shard. So the look that is made anyway leaves them, for `status` above all.
  await saveAppliedPlaces({ graph, store, source, now }, shards);
  let isFirst = true;
  for (const shard of shards) {
    if (shard.hasLanes) continue;
    for (const run of oldRunsOf(shard, lookedAtMs - ageMs)) {
      for await (const records of recordsOfRun(options, shard, run)) {
        // A call with hardly any time sweeps one page: its look may have taken all of it.
        if (!isFirst && remainingMs() <= 0) return total;
        isFirst = false;
        const result = await redriveRecords(records, options);
        addRedrive(total, result);
        const claims = claimOf(records.slice(0, result.repaired));
        if (claims.length > 0) await store.put(claimsItem(graph.table, randomUUID(), claims, now()));
        if (result.left > 0) return total;
      }
    }
  }
  return total;
}

/** Consecutive unclaimed records that are old enough, and the position before them. */
interface OldRun {
  records: readonly OpenChange[];
  after: string | undefined;
}

function oldRunsOf({ open, free, appliedUpTo }: WalkedShard, madeBeforeMs: number): OldRun[] {
  return free.flatMap(({ start, end }) => {
    const records = open.slice(start, end);
    // A run with new records is left to its consumer, which may only be behind.
    if (records.some(({ madeAtMs }) => madeAtMs > madeBeforeMs)) return [];
    return [{ records, after: open[start - 1]?.sequenceNumber ?? appliedUpTo }];
  });
}

/** Reads the records of a run from the stream, a page at a time: their images show which items they are about. */
async function* recordsOfRun(
  { graph, source }: Pick<SweepOptions, 'graph' | 'source'>,
  { shardId }: WalkedShard,
  { records, after }: OldRun,
): AsyncGenerator<ChangeRecord[]> {
  const expected = new Set(records.map(({ sequenceNumber }) => sequenceNumber));
  const pages = new ShardPages(source, shardId, { after }, () => undefined);
  let empty = 0;
  while (expected.size > 0) {
    const page = await nextPageIfThere(pages);
    if (page === undefined) return;
    const found = decodeRecords(graph, page.records, source.streamArn).filter(({ sequenceNumber }) =>
      expected.delete(sequenceNumber),
    );
    if (found.length > 0) yield found;
    empty = page.records.length === 0 ? empty + 1 : 0;
    // The records may have left the stream since the walk; a page may be empty although they have not.
    if (page.isEnd || empty >= EMPTY_PAGES) return;
  }
}

/** The next page; undefined where the shard has left the stream since the walk. */
async function nextPageIfThere(pages: ShardPages): Promise<ShardPage | undefined> {
  try {
    return await pages.next();
  } catch (error) {
    if (isNoShardError(error)) return undefined;
    throw error;
  }
}
