import { randomUUID } from 'node:crypto';
import type { ChangeRecord } from '../items/change-record.ts';
import { claimOf } from '../progress/claims.ts';
import { claimsItem } from '../progress/claims-item.ts';
import { EMPTY_PAGES, type OpenChange, StreamWalk, type WalkedShard } from '../progress/stream-walk.ts';
import { decodeRecords } from '../stream/decode.ts';
import { ShardPages } from '../stream/shard-pages.ts';
import type { StreamSource } from '../stream/source.ts';
import { addRedrive, emptyRedrive, type RedriveOptions, type RedriveResult } from './redrive.ts';
import { redriveRecords } from './redrive-records.ts';

/** Options of a sweep. */
export interface SweepOptions extends RedriveOptions {
  /** The table's stream. */
  source: StreamSource;
  /** How old a record has to be that no consumer has claimed, in milliseconds. Default 60,000. */
  ageMs?: number | undefined;
}

/** A consumer writes its claims every ten seconds, and a function that is called all the time never sleeps over one. */
const AGE_MS = 60_000;

/**
 * Settles what stands in the stream and no consumer has claimed within a minute, by the base items, and claims it: what a consumer gave
 * up without a word, and what a function applied whose last claims were never written, since it froze after its last call. Without it the
 * mark of the stream stands still for a day. What new records follow is left to the consumer, which may be behind. Where several batches of a shard are applied at a time nobody can tell what is
 * unclaimed, and nothing is swept.
 */
export async function sweep(options: SweepOptions): Promise<RedriveResult> {
  const {
    graph,
    store,
    source,
    now = Date.now,
    ageMs = AGE_MS,
    remainingMs = () => Number.POSITIVE_INFINITY,
  } = options;
  const total = emptyRedrive();
  const { shards, lookedAtMs } = await new StreamWalk({ graph, store, source, now }).look();
  for (const shard of shards) {
    if (shard.hasLanes) continue;
    for (const run of runsOf(shard, lookedAtMs - ageMs)) {
      for await (const records of recordsOf(options, shard, run)) {
        if (remainingMs() <= 0) return total;
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

/** Records in a row that nobody claims and that are old enough, and what stands before them. */
interface OldRun {
  records: readonly OpenChange[];
  after: string | undefined;
}

function runsOf({ open, free, appliedUpTo }: WalkedShard, madeBeforeMs: number): OldRun[] {
  return free.flatMap(({ start, end }) => {
    const records = open.slice(start, end);
    // Where new records follow, a consumer that is behind is still to come to them.
    if (records.some(({ madeAtMs }) => madeAtMs > madeBeforeMs)) return [];
    return [{ records, after: open[start - 1]?.sequenceNumber ?? appliedUpTo }];
  });
}

/** The records of a run as they stand in the stream, a page at a time: images are needed to tell what they concern. */
async function* recordsOf(
  { graph, source }: Pick<SweepOptions, 'graph' | 'source'>,
  { shardId }: WalkedShard,
  { records, after }: OldRun,
): AsyncGenerator<ChangeRecord[]> {
  const wanted = new Set(records.map(({ sequenceNumber }) => sequenceNumber));
  const pages = new ShardPages(source, shardId, { after }, () => undefined);
  let empty = 0;
  while (wanted.size > 0) {
    const page = await pages.next();
    const found = decodeRecords(graph, page.records, source.streamArn).filter(({ sequenceNumber }) =>
      wanted.delete(sequenceNumber),
    );
    if (found.length > 0) yield found;
    empty = page.records.length === 0 ? empty + 1 : 0;
    // The records may have left the stream since the walk; a page may be empty although they have not.
    if (page.isEnd || empty >= EMPTY_PAGES) return;
  }
}
