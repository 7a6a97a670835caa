import type { ChangeRecord } from '../../core/items/change-record.ts';
import type { OfGraph } from '../../core/model/compiled.ts';
import { runObserved } from '../../core/telemetry.ts';
import { StoreError } from '../../foundation/errors.ts';
import { countText, figureText } from '../../foundation/figure.ts';
import { appliedCount, createProjector } from '../../projecting/apply/projector.ts';
import { emptyRedrive, type RedriveOptions, type RedriveResult } from './redrive.ts';

const SLICE = 1_000;

/**
 * Reconciles records in order and in slices, so that each derived item is written once per slice. A record that can't
 * be derived or written goes into quarantine and counts as reconciled. If time runs out or a call keeps failing, the
 * first `repaired` records are reconciled and need no other redrive. Throws a fatal `StoreError`.
 */
export async function redriveRecords(
  records: readonly ChangeRecord[],
  options: OfGraph<RedriveOptions>,
): Promise<RedriveResult> {
  return await runObserved('redrive', options, (observed) => redriveSlices(records, observed));
}

async function redriveSlices(
  records: readonly ChangeRecord[],
  { graph, store, concurrency, remainingMs, now, wait, random, onProgress, model }: OfGraph<RedriveOptions>,
): Promise<RedriveResult> {
  const result: RedriveResult = { ...emptyRedrive(), entries: records.length };
  // rule: redrive-maintains-what-the-registry-keeps
  const projector = createProjector(graph, { store, concurrency, now, wait, random, model });
  for (let start = 0; start < records.length; ) {
    const slice = records.slice(start, start + SLICE);
    const batch = await projector.project(slice, { remainingMs });
    const { failedFrom, error, writes, wcu, rcu, quarantined } = batch;
    result.writes += writes;
    result.wcu += wcu;
    result.rcu += rcu;
    result.quarantined += quarantined;
    start += appliedCount(slice, batch);
    onProgress?.(start);
    result.repaired = start;
    if (failedFrom === undefined) continue;
    if (error instanceof StoreError && error.kind === 'fatal') throw error;
    result.left = records.length - start;
    result.reasons.push(
      `${figureText(start)} of ${countText(records.length, 'record')} reconciled; ${failedFrom.source} ${failedFrom.target}: ${error?.message}`,
    );
    break;
  }
  return result;
}
