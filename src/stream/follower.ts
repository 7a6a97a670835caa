import { EdgeloomError, isRetryableStoreError } from '../foundation/errors.ts';
import { Backlog, type BacklogOptions } from './backlog.ts';
import { type CheckpointStore, memoryCheckpoint } from './checkpoint.ts';
import { Journal } from './checkpoint-journal.ts';
import { Bell, createController, pause, retryingUntil } from './concurrency.ts';
import { IdleDetector } from './idle-detector.ts';
import { readableShards, vanishedShards, waitingShards } from './lineage.ts';
import type { RunReport } from './run-report.ts';
import type { StreamDescription, StreamSource } from './source.ts';

/** DescribeStream is asked at most this often, however quickly shards end. */
const MIN_SHARD_INTERVAL_MS = 250;
/** How often the stream is looked at while somebody waits for its end. */
const MAX_AWAITED_INTERVAL_MS = 1_000;
/** How often a stream that still lives may show no shard left to read before that counts as quiet. */
const EMPTY_LISTINGS = 3;

/** The reader of one shard. */
export interface ShardWork {
  /** Works until the shard's end, `cancel` or the end of the run. Rejects where trying again cannot help. */
  work(): Promise<void>;
  /** The shard is gone from the stream: what was read is still worked off, then `work` resolves. */
  cancel(): void;
  /** Tells whether `cancel` was called; records that were read before may still be in work. */
  isCancelled(): boolean;
}

/** State that the readers of one run's shards share. */
export interface FollowRun {
  source: StreamSource;
  journal: Journal;
  /** The checkpoint was of another stream. */
  hasEarlierStream: boolean;
  quiet: IdleDetector;
  report: RunReport;
  /** Ends the run: nothing further is started. */
  stopping: AbortSignal;
  /** Milliseconds left for the work in hand; infinite until the run is stopped. */
  graceMs(): number;
  /** The shards have to be listed again. */
  onLineageChange(): void;
  /** A shard was polled in vain. */
  onEmptyPoll(shardId: string): void;
}

/** How a stream is followed, and who hears of it. */
export interface FollowerOptions {
  /** The follower's name in errors: `worker`. */
  name: string;
  checkpoint?: CheckpointStore;
  shardIntervalMs?: number;
  stopGraceMs?: number;
  report: RunReport;
  /** Called once, when the run begins; what it gives makes the reader of each shard. */
  open(run: FollowRun): (shardId: string) => ShardWork;
  /** How the end of the backlog is found while others write on. Default: only a quiet stream is worked off. */
  backlog?: BacklogOptions;
  /** Called with the first listing, before any shard is read. */
  onFirstListing?(run: FollowRun, description: StreamDescription): Promise<void>;
}

/** Somebody who waits until the stream is worked off. */
interface IdleWaiter {
  /** The records that were in the stream when the wait began; undefined until the stream is looked at. */
  backlog?: Backlog;
  resolve(): void;
  reject(error: unknown): void;
}

/** Follows a stream's shards: parents before their children, new ones as they appear, until it is stopped or quiet. */
export class StreamFollower {
  private readonly stopping = createController();
  private readonly quiet = new IdleDetector();
  private readonly bell = new Bell();
  private readonly tasks = new Map<string, { task: ShardWork; ended: Promise<void> }>();
  private idleWaiters: IdleWaiter[] = [];
  private endedBy: 'stop' | 'idle' = 'stop';
  private stoppedAtMs = 0;
  private emptyListings = 0;
  private failure: { error: unknown } | undefined;
  private running: Promise<'stop' | 'idle'> | undefined;

  constructor(
    private readonly source: StreamSource,
    private readonly options: FollowerOptions,
  ) {}

  /** Runs, once; gives why it ended. */
  run(untilIdle: boolean): Promise<'stop' | 'idle'> {
    if (this.running !== undefined) {
      const { name } = this.options;
      return Promise.reject(new EdgeloomError(`${name}-used`, `A ${name} runs once.`, 'Create another one.'));
    }
    if (untilIdle) {
      const resolve = (): void => {
        this.endedBy = 'idle';
      };
      this.idleWaiters.push({ resolve, reject: () => undefined });
    }
    this.running = this.runOnce();
    return this.running;
  }

  /** Resolves when every record that is in the stream now is worked off, and what that has written too, unless others write on. */
  idle(): Promise<void> {
    this.quiet.noteActivity();
    return new Promise((resolve, reject) => {
      if (this.stopping.signal.aborted) reject(this.endedEarlyError());
      else this.idleWaiters.push({ resolve, reject });
      this.bell.ring();
    });
  }

  /** Ends the run in good order. */
  async stop(): Promise<void> {
    this.endRun();
    // The caller of `run` learns of its failure.
    await this.running?.catch(() => undefined);
  }

  private async runOnce(): Promise<'stop' | 'idle'> {
    let reason: unknown = this.endedEarlyError();
    try {
      const { checkpoint = memoryCheckpoint(), report } = this.options;
      const { journal, setAside } = await Journal.open(checkpoint, this.source.streamArn);
      if (setAside !== undefined) report.onSetAside(setAside);
      try {
        await this.supervise(this.makeRun(journal, setAside !== undefined));
      } finally {
        this.endRun();
        await Promise.all([...this.tasks.values()].map(({ ended }) => ended));
        await journal.flush();
      }
      if (this.failure !== undefined) throw this.failure.error;
      return this.endedBy;
    } catch (error) {
      reason = error;
      throw error;
    } finally {
      this.endRun();
      for (const waiter of this.idleWaiters.splice(0)) waiter.reject(reason);
    }
  }

  /** Lists the shards again and again, starts what can be read, and tells when all is quiet. */
  private async supervise(run: FollowRun): Promise<void> {
    const { shardIntervalMs = 5_000 } = this.options;
    const { signal } = this.stopping;
    const newTask = this.options.open(run);
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      // Quiet counts only if a look at the shards that comes after finds no new one.
      const wasQuiet = this.tasks.size > 0 && this.quiet.isQuiet();
      const description = await this.describeStream();
      if (description === undefined) return;
      if (isFirst) await this.options.onFirstListing?.(run, description);
      const started = this.startReadableShards(run, description, newTask);
      const isExhausted = this.isExhausted(description);
      const isQuiet = isExhausted || (wasQuiet && started === 0 && this.quiet.isQuiet());
      this.resolveWaiters(run, description, isQuiet);
      if (this.endedBy === 'idle') return;
      if (isExhausted && description.status === 'DISABLED') throw streamEndedError(this.source.streamArn);
      const hurries = this.tasks.size === 0 && this.isIdleAwaited();
      const awaited = this.isIdleAwaited() ? Math.min(MAX_AWAITED_INTERVAL_MS, shardIntervalMs) : shardIntervalMs;
      const interval = hurries ? MIN_SHARD_INTERVAL_MS : awaited;
      await Promise.all([pause(MIN_SHARD_INTERVAL_MS, signal), this.bell.wait(interval)]);
    }
  }

  /** Tells those for whom the stream is worked off now. */
  private resolveWaiters(run: FollowRun, description: StreamDescription, isQuiet: boolean): void {
    const { backlog } = this.options;
    const isOver = (waiter: IdleWaiter): boolean => {
      if (isQuiet || backlog === undefined) return isQuiet;
      waiter.backlog ??= new Backlog(run, backlog);
      return waiter.backlog.isWorkedOff(description);
    };
    for (const waiter of [...this.idleWaiters]) {
      if (!isOver(waiter)) continue;
      this.idleWaiters = this.idleWaiters.filter((other) => other !== waiter);
      waiter.resolve();
    }
  }

  /** The shards as they are now; undefined where the run ended before the stream answered. */
  private async describeStream(): Promise<StreamDescription | undefined> {
    const { signal } = this.stopping;
    if (signal.aborted) return undefined;
    const isRetryable = (error: unknown, attempt: number): boolean => {
      if (!isRetryableStoreError(error)) return false;
      this.options.report.logger.warn({ attempt, error: error.message }, 'The stream does not answer; trying again.');
      return true;
    };
    const rules = { stopping: signal, isEnding: () => signal.aborted, isRetryable, minimumMs: MIN_SHARD_INTERVAL_MS };
    return await retryingUntil(rules, () => this.source.describe());
  }

  /** Compares a listing with the known shards: reports lost shards, and starts the readable ones. Returns how many it started. */
  private startReadableShards(
    { journal }: FollowRun,
    { shards }: StreamDescription,
    newTask: (shardId: string) => ShardWork,
  ): number {
    for (const shardId of vanishedShards(new Set([...journal.shardIds(), ...this.tasks.keys()]), shards)) {
      const task = this.tasks.get(shardId)?.task;
      if (!journal.isFinished(shardId) && task?.isCancelled() !== true) {
        const message = `Shard ${shardId} has left the stream before it was read to its end.`;
        this.options.report.onTrimmed(shardId, message);
      }
      task?.cancel();
      journal.forget(shardId);
    }
    const isFinished = (shardId: string): boolean => journal.isFinished(shardId);
    const fresh = readableShards(shards, isFinished).filter(({ shardId }) => !this.tasks.has(shardId));
    for (const { shardId } of fresh) this.startTask(newTask(shardId), shardId);
    this.quiet.noteWaiting(waitingShards(shards, isFinished));
    return fresh.length;
  }

  private startTask(task: ShardWork, shardId: string): void {
    const ended = task
      .work()
      .catch((error: unknown) => {
        // The first failure is the cause; others come of the same.
        this.failure ??= { error };
        this.endRun();
      })
      .finally(() => this.tasks.delete(shardId));
    this.tasks.set(shardId, { task, ended });
  }

  /**
   * Tells whether no shard is left to read. One listing shows it for a disabled stream. Otherwise several have to, since the child of a closed
   * shard may be listed a little later.
   */
  private isExhausted({ status }: StreamDescription): boolean {
    this.emptyListings = this.tasks.size === 0 && status !== 'ENABLING' ? this.emptyListings + 1 : 0;
    return this.emptyListings >= (status === 'DISABLED' ? 1 : EMPTY_LISTINGS);
  }

  private makeRun(journal: Journal, hasEarlierStream: boolean): FollowRun {
    const { source, quiet, stopping } = this;
    return {
      source,
      report: this.options.report,
      journal,
      hasEarlierStream,
      quiet,
      stopping: stopping.signal,
      graceMs: () => this.graceMs(),
      onLineageChange: () => this.bell.ring(),
      onEmptyPoll: (shardId) => {
        quiet.noteEmptyPoll(shardId);
        for (const { backlog } of this.idleWaiters) backlog?.noteEmptyPoll(shardId);
        if (this.isIdleAwaited() && quiet.isQuiet()) this.bell.ring();
      },
    };
  }

  private isIdleAwaited(): boolean {
    return this.idleWaiters.length > 0;
  }

  private endRun(): void {
    if (this.stopping.signal.aborted) return;
    this.stoppedAtMs = performance.now();
    this.stopping.abort();
    this.bell.ring();
  }

  private graceMs(): number {
    if (!this.stopping.signal.aborted) return Number.POSITIVE_INFINITY;
    return this.stoppedAtMs + (this.options.stopGraceMs ?? 10_000) - performance.now();
  }

  private endedEarlyError(): EdgeloomError {
    const { name } = this.options;
    return new EdgeloomError(
      `${name}-ended`,
      `The ${name} ended before the stream was quiet.`,
      'Its log says why it ended; start another one.',
    );
  }
}

function streamEndedError(streamArn: string): EdgeloomError {
  return new EdgeloomError(
    'stream-ended',
    `The stream ${streamArn} is read to its end, and nothing more will come.`,
    'Its table was deleted, or its stream was switched off; start again to follow the stream that the table has now.',
  );
}
