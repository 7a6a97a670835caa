import { isRetryableStoreError } from '../foundation/errors.ts';
import { retryingUntil } from './concurrency.ts';
import type { FollowRun, ShardWork } from './follower.ts';
import { isNoShardError, StreamError } from './source.ts';

/** Base of every shard reader: cancellation, and retries that end with the run. */
export abstract class ShardWorker<Run extends FollowRun> implements ShardWork {
  private cancelled = false;

  constructor(
    protected readonly run: Run,
    protected readonly shardId: string,
  ) {}

  cancel(): void {
    this.cancelled = true;
  }

  isCancelled(): boolean {
    return this.cancelled;
  }

  abstract work(): Promise<void>;

  protected isEnding(): boolean {
    return this.cancelled || this.run.stopping.aborted;
  }

  protected retrying<T>(what: string, action: () => Promise<T>): Promise<T | undefined> {
    return retryingShard(this.run, this.shardId, what, action, () => this.isEnding());
  }

  /** Lost records came after the kept place: returning to it would find the same gap again. */
  protected onTrimmed(message: string): void {
    this.run.report.onTrimmed(this.shardId, message);
    this.run.journal.noteShard({ shardId: this.shardId, finished: false });
  }
}

export async function retryingShard<T>(
  { report, stopping, onLineageChange }: Pick<FollowRun, 'report' | 'stopping' | 'onLineageChange'>,
  shardId: string,
  what: string,
  action: () => Promise<T>,
  isEnding: () => boolean = () => stopping.aborted,
): Promise<T | undefined> {
  const isRetryable = (error: unknown, attempt: number): boolean => {
    if (!(error instanceof StreamError) && !isRetryableStoreError(error)) return false;
    // Only a listing tells whether the stream has lost the shard, or is itself gone.
    if (isNoShardError(error)) onLineageChange();
    report.logger.warn({ shardId, attempt, error: error.message }, `Trouble ${what} the stream; trying again.`);
    return true;
  };
  return retryingUntil({ stopping, isEnding, isRetryable }, action);
}
