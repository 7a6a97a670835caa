import { isRetryableStoreError } from '../foundation/errors.ts';
import { retryingUntil } from './concurrency.ts';
import type { FollowRun, ShardWork } from './follower.ts';
import { isNoShardError, StreamError } from './source.ts';

/** Base of every reader of a shard: cancellation, and retries that end with the run. */
export abstract class ShardWorker<Run extends FollowRun> implements ShardWork {
  private cancelled = false;

  constructor(
    protected readonly run: Run,
    protected readonly shardId: string,
  ) {}

  /** Ends the work once the records that were read are done, because the shard has left the stream. */
  cancel(): void {
    this.cancelled = true;
  }

  /** Tells whether `cancel` was called; records that were read before may still be in work. */
  isCancelled(): boolean {
    return this.cancelled;
  }

  /** Works until the shard's end, `cancel` or the end of the run. Rejects where trying again cannot help. */
  abstract work(): Promise<void>;

  protected isEnding(): boolean {
    return this.cancelled || this.run.stopping.aborted;
  }

  /** Tries until it succeeds; undefined where the run ended before it did. */
  protected retrying<T>(what: string, action: () => Promise<T>): Promise<T | undefined> {
    return retryingShard(this.run, this.shardId, what, action, () => this.isEnding());
  }

  /** Records were lost that stood behind the place that was kept: coming back to it would find the same gap again. */
  protected onTrimmed(message: string): void {
    this.run.report.onTrimmed(this.shardId, message);
    this.run.journal.noteShard({ shardId: this.shardId, finished: false });
  }
}

/** Tries something with a shard until it succeeds; undefined where the run ended before it did. */
export async function retryingShard<T>(
  { report, stopping, onLineageChange }: Pick<FollowRun, 'report' | 'stopping' | 'onLineageChange'>,
  shardId: string,
  what: string,
  action: () => Promise<T>,
  isEnding: () => boolean = () => stopping.aborted,
): Promise<T | undefined> {
  const isRetryable = (error: unknown, attempt: number): boolean => {
    if (!(error instanceof StreamError) && !isRetryableStoreError(error)) return false;
    // Only a listing tells whether the stream has lost the shard, or is gone itself.
    if (isNoShardError(error)) onLineageChange();
    report.logger.warn({ shardId, attempt, error: error.message }, `Trouble ${what} the stream; trying again.`);
    return true;
  };
  return retryingUntil({ stopping, isEnding, isRetryable }, action);
}
