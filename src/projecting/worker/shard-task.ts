import type { LimitFunction } from 'p-limit';
import type { ChangeRecord } from '../../core/items/change-record.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { StoreError } from '../../foundation/errors.ts';
import { backoffMs } from '../../foundation/retry.ts';
import { pause } from '../../stream/concurrency.ts';
import type { FollowRun } from '../../stream/follower.ts';
import type { ProgressRecorder } from '../../stream/progress/recorder.ts';
import { type BatchLimits, type ShardBatch, ShardReader } from '../../stream/shard-reader.ts';
import { ShardWorker } from '../../stream/shard-work.ts';
import { appliedCount } from '../apply/projector.ts';
import type { BatchResult, Projector } from '../apply/projector-types.ts';
import type { WorkerReport } from './report.ts';

export interface WorkerRun extends FollowRun {
  graph: CompiledModel;
  projector: Projector;
  limit: LimitFunction;
  report: WorkerReport;
  progress?: ProgressRecorder | undefined;
  limits: BatchLimits;
  pollIntervalMs: number;
  batchTimeoutMs: number;
}

export class ShardTask extends ShardWorker<WorkerRun, ShardBatch> {
  private readonly reader: ShardReader;
  /** Halved when a batch fails, because a smaller batch may finish in time. */
  private maxRecords: number;

  constructor(run: WorkerRun, shardId: string) {
    super(run, shardId, run.pollIntervalMs);
    const after = run.journal.get(shardId)?.sequenceNumber;
    this.reader = new ShardReader(run, { shardId, after }, (message) => this.onTrimmed(message));
    this.maxRecords = run.limits.maxRecords;
  }

  protected override read(): Promise<ShardBatch> {
    return this.run.limit(() => this.reader.nextBatch(() => this.isEnding()));
  }

  protected override async apply(batch: ShardBatch): Promise<boolean> {
    const { run, shardId } = this;
    // rule: worker-applies-before-it-notes
    if (!(await this.applyAll(batch.records))) return false;
    if (this.isCancelled() || (batch.isEmpty && !batch.isEnd)) return true;
    run.journal.noteShard({ shardId, sequenceNumber: batch.sequenceNumber, finished: batch.isEnd });
    // Noted only after the batch is applied, because a crash would otherwise leave progress that was never made.
    run.progress?.noteApplied(batch.records, shardId);
    run.progress?.schedule();
    // A batch with only derived items' records needs no checkpoint, because reading them again changes nothing.
    if (batch.records.length > 0 || batch.isEnd) await run.journal.flush();
    return true;
  }

  private async applyAll(records: readonly ChangeRecord[]): Promise<boolean> {
    const { run, shardId } = this;
    for (let start = 0, attempt = 0; start < records.length; ) {
      if (run.stopping.aborted) return false;
      const slice = records.slice(start, start + this.maxRecords);
      const { result, milliseconds } = await run.limit(() => this.projectTimed(slice));
      const applied = appliedCount(slice, result);
      run.report.onBatch({ shardId, records: slice, applied, result, milliseconds });
      start += applied;
      if (result.failedFrom === undefined) {
        this.maxRecords = Math.min(run.limits.maxRecords, this.maxRecords * 2);
        attempt = 0;
      }
      if (applied > 0 && start < records.length && !this.isCancelled()) {
        run.journal.noteShard({ shardId, sequenceNumber: slice[applied - 1]?.sequenceNumber, finished: false });
        await run.journal.flush();
      }
      if (result.failedFrom === undefined) continue;
      if (result.error instanceof StoreError && result.error.kind === 'fatal') throw result.error;
      this.maxRecords = Math.max(1, Math.floor(slice.length / 2));
      attempt = applied > 0 ? 1 : attempt + 1;
      const details = { shardId, records: slice.length, applied, attempt, error: result.error?.message };
      run.report.logger.warn(details, 'A batch was not applied in full; the rest is tried again.');
      await pause(backoffMs(attempt), run.stopping);
    }
    return true;
  }

  private async projectTimed(records: readonly ChangeRecord[]): Promise<{ result: BatchResult; milliseconds: number }> {
    const startedMs = performance.now();
    const result = await this.project(records);
    return { result, milliseconds: performance.now() - startedMs };
  }

  private project(records: readonly ChangeRecord[]): Promise<BatchResult> {
    const { projector, batchTimeoutMs, graceMs, progress } = this.run;
    const deadline = performance.now() + batchTimeoutMs;
    const projectBatch = (): Promise<BatchResult> =>
      projector.project(records, { remainingMs: () => Math.min(deadline - performance.now(), graceMs()) });
    return progress === undefined ? projectBatch() : progress.writeWhile(projectBatch);
  }
}
