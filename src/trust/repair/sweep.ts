import { randomUUID } from 'node:crypto';
import type { ChangeRecord } from '../../core/items/change-record.ts';
import type { OfGraph } from '../../core/model/compiled.ts';
import { runtimeOf } from '../../foundation/runtime.ts';
import { decodeRecords } from '../../stream/decode.ts';
import { saveAppliedPlaces } from '../../stream/progress/applied-places.ts';
import { claimOf, claimsItem } from '../../stream/progress/claims.ts';
import { type OpenChange, StreamWalk, type WalkedShard } from '../../stream/progress/stream-walk.ts';
import { EMPTY_PAGES, type ShardPage, ShardPages } from '../../stream/shard-pages.ts';
import { isNoShardError, type StreamSource } from '../../stream/source.ts';
import { addRedrive, emptyRedrive, type RedriveOptions, type RedriveResult } from './redrive.ts';
import { redriveRecords } from './redrive-records.ts';

export interface SweepOptions extends OfGraph<RedriveOptions> {
  source: StreamSource;
  /** Minimum age of swept records. Default: 60,000. */
  ageMs?: number | undefined;
}

/** A consumer writes its claims every ten seconds. */
const AGE_MS = 60_000;

/**
 * Reconciles and claims records that no consumer has claimed within `ageMs`, because a consumer gave up a batch without
 * a report, or a function was frozen before it wrote its claims. Otherwise, the low watermark would stand still for a
 * day. Leaves runs with newer records to the consumer, which may be behind. Skips shards with several batches at a
 * time, because their claims don't show what is unclaimed.
 */
export async function sweep(options: SweepOptions): Promise<RedriveResult> {
  const { graph, store, source, ageMs = AGE_MS } = options;
  const { now, remainingMs } = runtimeOf(options);
  const total = emptyRedrive();
  const { shards, lookedAtMs } = await new StreamWalk({ graph, store, source, now }).look();
  // A Lambda function doesn't know its shard, so it can't save how far the shard is applied.
  await saveAppliedPlaces({ graph, store, source, now }, shards);
  let isFirst = true;
  for (const shard of shards) {
    if (shard.hasLanes) continue;
    for (const run of oldRunsOf(shard, lookedAtMs - ageMs)) {
      for await (const records of recordsOfRun(options, shard, run)) {
        // Even a call with hardly any time left sweeps one page.
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

interface OldRun {
  records: readonly OpenChange[];
  after: string | undefined;
}

function oldRunsOf({ open, free, appliedUpTo }: WalkedShard, madeBeforeMs: number): OldRun[] {
  return free.flatMap(({ start, end }) => {
    const records = open.slice(start, end);
    if (records.some(({ madeAtMs }) => madeAtMs > madeBeforeMs)) return [];
    return [{ records, after: open[start - 1]?.sequenceNumber ?? appliedUpTo }];
  });
}

/** Reads the records again for their images, which the walk doesn't keep. */
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
    // Stops at the end, or after several empty pages: the records may have left the stream since the walk.
    if (page.isEnd || empty >= EMPTY_PAGES) return;
  }
}

async function nextPageIfThere(pages: ShardPages): Promise<ShardPage | undefined> {
  try {
    return await pages.next();
  } catch (error) {
    if (isNoShardError(error)) return undefined;
    throw error;
  }
}
