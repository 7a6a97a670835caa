import { createSettler } from '../apply/projector.ts';
import { StoreError } from '../errors.ts';
import type { ChangeRecord } from '../items/change-record.ts';
import { emptyRedrive, type RedriveOptions, type RedriveResult } from './redrive.ts';

/** Records that are folded into one; the place is kept after each of them. */
const SLICE = 1_000;

/**
 * Settles everything that some records of the stream concern, as after an event source mapping gave up on them: by the
 * base items as they are now. The records are taken in order, a thousand at a time: folded, so that each derived item is
 * written once, and not at all where a redrive of the same records has made it right already. What cannot be derived or
 * written is quarantined, and is settled by that. It stops where time is over or the table fails: the first `repaired`
 * records are settled then, and need no second look.
 */
export async function redriveRecords(
  records: readonly ChangeRecord[],
  { graph, store, concurrency, remainingMs, now, wait, random, onProgress, model }: RedriveOptions,
): Promise<RedriveResult> {
  const result: RedriveResult = { ...emptyRedrive(), entries: records.length };
  // rule: redrive-maintains-what-the-registry-keeps
  const settler = createSettler(graph, { store, concurrency, now, wait, random, model });
  for (let start = 0; start < records.length; ) {
    const slice = records.slice(start, start + SLICE);
    const { failedFrom, error, writes, wcu, rcu, quarantined } = await settler.project(slice, { remainingMs });
    result.writes += writes;
    result.wcu += wcu;
    result.rcu += rcu;
    result.quarantined += quarantined;
    const failed = failedFrom === undefined ? -1 : slice.findIndex(({ position }) => position >= failedFrom.position);
    start += failed < 0 ? slice.length : failed;
    onProgress?.(start);
    result.repaired = start;
    if (failedFrom === undefined) continue;
    if (error instanceof StoreError && error.kind === 'fatal') throw error;
    result.left = records.length - start;
    result.reasons.push(
      `${start} of ${records.length} records are settled; ${failedFrom.source} ${failedFrom.target}: ${error?.message}`,
    );
    break;
  }
  return result;
}
