import { EdgeloomError, isRetryableStoreError } from '../foundation/errors.ts';
import { Backlog, type BacklogOptions } from './backlog.ts';
import { type CheckpointStore, memoryCheckpoint } from './checkpoint.ts';
import { Journal } from './checkpoint-journal.ts';
import { Bell, pause, retryingUntil } from './concurrency.ts';
import { IdleDetector } from './idle-detector.ts';
import { readableShards, vanishedShards, waitingShards } from './lineage.ts';
import type { RunReport } from './run-report.ts';
import type { StreamDescription, StreamSource } from './source.ts';

const MIN_SHARD_INTERVAL_MS = 250;
const MAX_AWAITED_INTERVAL_MS = 1_000;
const EMPTY_LISTINGS = 3;

export interface ShardWork {
  work(): Promise<void>;
  /** Lets `work` finish what was read and then resolve. */
  cancel(): void;
  isCancelled(): boolean;
}

export interface FollowRun {
  source: StreamSource;
  journal: Journal;
  quiet: IdleDetector;
  report: RunReport;
  stopping: AbortSignal;
  /** Returns the milliseconds left for current work; infinite until the run is stopped. */
  graceMs(): number;
  onLineageChange(): void;
  onEmptyPoll(shardId: string): void;
}

export interface FollowerOptions {
  name: string;
  checkpoint?: CheckpointStore;
  shardIntervalMs?: number;
  stopGraceMs?: number;
  report: RunReport;
  open(run: FollowRun): (shardId: string) => ShardWork;
  /**
   * Lets `idle` resolve at the end of the backlog while others keep writing. Default: it waits until the stream is
   * quiet.
   */
  backlog?: BacklogOptions;
  onFirstListing?(run: FollowRun, description: StreamDescription): Promise<void>;
}

interface IdleWaiter {
  backlog?: Backlog;
  resolve(): void;
  reject(error: unknown): void;
}

export class StreamFollower {
  private readonly stopping = new AbortController();
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

  run(untilIdle: boolean): Promise<'stop' | 'idle'> {
    if (this.running !== undefined) {
      const { name } = this.options;
      return Promise.reject(new EdgeloomError('already-ended', `A ${name} runs once.`, 'Create another one.'));
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

  /**
   * Resolves when every record now in the stream is processed and, unless others keep writing, the records of the
   * resulting writes as well.
   */
  idle(): Promise<void> {
    this.quiet.noteActivity();
    return new Promise((resolve, reject) => {
      if (this.stopping.signal.aborted) reject(this.endedEarlyError());
      else this.idleWaiters.push({ resolve, reject });
      this.bell.ring();
    });
  }

  async stop(): Promise<void> {
    this.endRun();
    // The caller of `run` gets its error.
    await this.running?.catch(() => undefined);
  }

  private async runOnce(): Promise<'stop' | 'idle'> {
    let reason: unknown = this.endedEarlyError();
    try {
      const { checkpoint = memoryCheckpoint(), report } = this.options;
      const journal = await Journal.open(checkpoint, this.source.streamArn, (other) => report.onOtherStream(other));
      try {
        await this.supervise(this.makeRun(journal));
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

  private async supervise(run: FollowRun): Promise<void> {
    const { signal } = this.stopping;
    const newTask = this.options.open(run);
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      // The stream is only quiet if a later listing shows no new shard.
      const wasQuiet = this.tasks.size > 0 && this.quiet.isQuiet();
      const description = await this.describeStream();
      if (description === undefined) return;
      if (isFirst) await this.options.onFirstListing?.(run, description);
      this.forgetVanishedShards(run, description);
      const started = this.startReadableShards(run, description, newTask);
      const isExhausted = this.isExhausted(description);
      const isQuiet = isExhausted || (wasQuiet && started === 0 && this.quiet.isQuiet());
      this.resolveWaiters(run, description, isQuiet);
      if (this.endedBy === 'idle') return;
      if (isExhausted && description.status === 'DISABLED') throw streamEndedError(this.source.streamArn);
      await Promise.all([pause(MIN_SHARD_INTERVAL_MS, signal), this.bell.wait(this.listingIntervalMs())]);
    }
  }

  private listingIntervalMs(): number {
    const { shardIntervalMs = 5_000 } = this.options;
    if (!this.isIdleAwaited()) return shardIntervalMs;
    return this.tasks.size === 0 ? MIN_SHARD_INTERVAL_MS : Math.min(MAX_AWAITED_INTERVAL_MS, shardIntervalMs);
  }

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

  private forgetVanishedShards({ journal }: FollowRun, { shards }: StreamDescription): void {
    for (const shardId of vanishedShards(new Set([...journal.shardIds(), ...this.tasks.keys()]), shards)) {
      const task = this.tasks.get(shardId)?.task;
      if (!journal.isFinished(shardId) && task?.isCancelled() !== true) {
        const message = `Shard ${shardId} has left the stream before it was read to its end.`;
        this.options.report.onTrimmed(shardId, message);
      }
      task?.cancel();
      journal.forget(shardId);
    }
  }

  private startReadableShards(
    { journal }: FollowRun,
    { shards }: StreamDescription,
    newTask: (shardId: string) => ShardWork,
  ): number {
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
        // The first failure causes the others.
        this.failure ??= { error };
        this.endRun();
      })
      .finally(() => this.tasks.delete(shardId));
    this.tasks.set(shardId, { task, ended });
  }

  /** Unless the stream is disabled, this takes several listings, because a closed shard's child may be listed late. */
  private isExhausted({ status }: StreamDescription): boolean {
    this.emptyListings = this.tasks.size === 0 && status !== 'ENABLING' ? this.emptyListings + 1 : 0;
    return this.emptyListings >= (status === 'DISABLED' ? 1 : EMPTY_LISTINGS);
  }

  private makeRun(journal: Journal): FollowRun {
    const { source, quiet, stopping } = this;
    return {
      source,
      report: this.options.report,
      journal,
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
      'already-ended',
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
