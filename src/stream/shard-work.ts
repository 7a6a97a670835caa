import { isRetryableStoreError } from '../foundation/errors.ts';
import { pause, retryingUntil } from './concurrency.ts';
import type { FollowRun, ShardWork } from './follower.ts';
import { isNoShardError, StreamError } from './source.ts';

export interface ReadBatch {
  isEmpty: boolean;
  isEnd: boolean;
}

export abstract class ShardWorker<Run extends FollowRun, Batch extends ReadBatch> implements ShardWork {
  private cancelled = false;

  constructor(
    protected readonly run: Run,
    protected readonly shardId: string,
    private readonly pollIntervalMs: number,
  ) {}

  /**
   * A cancelled worker must not add its place to the journal, or the shard would be reported again as having left the
   * stream.
   */
  cancel(): void {
    this.cancelled = true;
  }

  isCancelled(): boolean {
    return this.cancelled;
  }

  async work(): Promise<void> {
    const { run, shardId } = this;
    run.quiet.noteOpened(shardId);
    try {
      while (!this.isEnding()) {
        const batch = await this.readRetrying();
        if (batch === undefined || !(await this.apply(batch))) return;
        // Items written for this batch have records that must be read before the stream is quiet.
        if (!batch.isEmpty) run.quiet.noteActivity();
        if (batch.isEnd) {
          run.report.logger.debug({ shardId }, 'Shard read to its end.');
          run.onLineageChange();
          return;
        }
        if (batch.isEmpty) {
          run.onEmptyPoll(shardId);
          await pause(this.pollIntervalMs, run.stopping);
        }
      }
    } finally {
      run.quiet.noteClosed(shardId);
    }
  }

  /** After an error, the next call must read the same records. */
  protected abstract read(): Promise<Batch>;

  /** Returns false if the run ended first. */
  protected abstract apply(batch: Batch): Promise<boolean>;

  protected isEnding(): boolean {
    return this.cancelled || this.run.stopping.aborted;
  }

  /** Forgets the saved place, because continuing there would find the same gap again. */
  protected onTrimmed(message: string): void {
    // A cancelled shard has already been reported as having left the stream.
    if (this.cancelled) return;
    this.run.report.onTrimmed(this.shardId, message);
    this.run.journal.noteShard({ shardId: this.shardId, finished: false });
  }

  private readRetrying(): Promise<Batch | undefined> {
    const { shardId } = this;
    const { report, stopping, onLineageChange } = this.run;
    const isRetryable = (error: unknown, attempt: number): boolean => {
      if (!(error instanceof StreamError) && !isRetryableStoreError(error)) return false;
      // Only a listing tells whether the stream has lost the shard, or is itself gone.
      if (isNoShardError(error)) onLineageChange();
      report.logger.warn({ shardId, attempt, error: error.message }, 'Trouble reading the stream; trying again.');
      return true;
    };
    return retryingUntil({ stopping, isEnding: () => this.isEnding(), isRetryable }, () => this.read());
  }
}
