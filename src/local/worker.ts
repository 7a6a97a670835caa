import { createProjector } from '../apply/projector.ts';
import { EdgeloomError, StoreError } from '../errors.ts';
import { backoffMs } from '../retry.ts';
import { memoryCheckpoint } from './checkpoint.ts';
import { Bell, createController, Gate, pause } from './concurrency.ts';
import { Journal } from './journal.ts';
import { LeftoverFilter } from './leftovers.ts';
import { QuietWatch } from './quiet.ts';
import { Report } from './report.ts';
import { ShardTask } from './shard-task.ts';
import { readableShards, vanishedShards, waitingShards } from './shards.ts';
import { DynamoDBStreamSource, type StreamDescription, type StreamSource } from './stream-source.ts';
import type { WorkerRun } from './worker-run.ts';
import type { Worker, WorkerOptions, WorkerResult, WorkerSettings } from './worker-types.ts';

/** DescribeStream is asked at most this often, however quickly shards end. */
const MIN_SHARD_INTERVAL_MS = 250;
/** How often a stream that still lives may show no shard left to read before that counts as quiet. */
const EMPTY_LISTINGS = 3;

/**
 * Makes a worker that follows a table's stream from its oldest record (or a checkpoint) on and projects it: parents
 * before their children, several shards at once, new shards as they appear. It notes how far it came after applying,
 * so that `kill -9` costs a replay at worst.
 *
 * @example
 * const worker = createWorker({ graph, store, streams, streamArn, checkpoint: fileCheckpoint('checkpoint.json') });
 * const { records, wcu } = await worker.run({ untilIdle: true });
 */
export function createWorker({ streams, streamArn, ...settings }: WorkerOptions): Worker {
  return createSourceWorker(new DynamoDBStreamSource(streams, streamArn), settings);
}

/** The same for any `StreamSource`. */
export function createSourceWorker(source: StreamSource, settings: WorkerSettings): Worker {
  return new StreamWorker(source, settings);
}

class StreamWorker implements Worker {
  private readonly stopping = createController();
  private readonly quiet = new QuietWatch();
  private readonly bell = new Bell();
  private readonly tasks = new Map<string, { task: ShardTask; ended: Promise<void> }>();
  private readonly idleWaiters: { resolve: () => void; reject: (error: unknown) => void }[] = [];
  private readonly report: Report;
  private untilIdle = false;
  private endedBy: WorkerResult['endedBy'] = 'stop';
  private stoppedAtMs = 0;
  private emptyListings = 0;
  private failure: { error: unknown } | undefined;
  private running: Promise<WorkerResult> | undefined;

  constructor(
    private readonly source: StreamSource,
    private readonly settings: WorkerSettings,
  ) {
    this.report = new Report(settings);
  }

  run({ untilIdle = false } = {}): Promise<WorkerResult> {
    if (this.running !== undefined) {
      return Promise.reject(new EdgeloomError('worker-used', 'A worker runs once.', 'Create another one.'));
    }
    this.untilIdle = untilIdle;
    this.running = this.runOnce();
    return this.running;
  }

  idle(): Promise<void> {
    this.quiet.activity();
    return new Promise((resolve, reject) => {
      if (this.stopping.signal.aborted) reject(endedEarly());
      else this.idleWaiters.push({ resolve, reject });
    });
  }

  async stop(): Promise<void> {
    this.end();
    // Whoever called `run` learns of its failure.
    await this.running?.catch(() => undefined);
  }

  private async runOnce(): Promise<WorkerResult> {
    let reason: unknown = endedEarly();
    try {
      const { checkpoint = memoryCheckpoint() } = this.settings;
      const { journal, setAside } = await Journal.open(checkpoint, this.source.streamArn);
      if (setAside !== undefined) this.report.onSetAside(setAside);
      try {
        await this.supervise(this.newRun(journal, setAside !== undefined));
      } finally {
        this.end();
        await Promise.all([...this.tasks.values()].map(({ ended }) => ended));
        await journal.flush();
      }
      if (this.failure !== undefined) throw this.failure.error;
      return this.report.result(this.endedBy);
    } catch (error) {
      reason = error;
      throw error;
    } finally {
      this.end();
      for (const waiter of this.idleWaiters.splice(0)) waiter.reject(reason);
    }
  }

  /** Lists the shards again and again, starts what can be read, and tells when all is quiet. */
  private async supervise(run: WorkerRun): Promise<void> {
    const { shardIntervalMs = 5_000 } = this.settings;
    const { signal } = this.stopping;
    while (!signal.aborted) {
      // Quiet counts only if a look at the shards that comes after finds no new one.
      const wasQuiet = this.tasks.size > 0 && this.quiet.isQuiet();
      const description = await this.describe();
      if (description === undefined) return;
      const started = this.follow(run, description);
      const isExhausted = this.isExhausted(description);
      if (isExhausted || (wasQuiet && started === 0 && this.quiet.isQuiet())) {
        for (const waiter of this.idleWaiters.splice(0)) waiter.resolve();
        if (this.untilIdle) {
          this.endedBy = 'idle';
          return;
        }
      }
      if (isExhausted && description.status === 'DISABLED') throw streamEnded(this.source.streamArn);
      const hurries = this.tasks.size === 0 && this.wantsIdle();
      const interval = hurries ? MIN_SHARD_INTERVAL_MS : shardIntervalMs;
      await Promise.all([pause(MIN_SHARD_INTERVAL_MS, signal), this.bell.wait(interval)]);
    }
  }

  /** The shards as they are now; undefined where the run ended before the stream answered. */
  private async describe(): Promise<StreamDescription | undefined> {
    const { signal } = this.stopping;
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        return await this.source.describe();
      } catch (error) {
        if (!(error instanceof StoreError) || error.kind !== 'retryable') throw error;
        this.report.logger.warn({ attempt, error: error.message }, 'The stream does not answer; trying again.');
        await pause(Math.max(MIN_SHARD_INTERVAL_MS, backoffMs(attempt)), signal);
      }
    }
    return undefined;
  }

  /** Takes in a listing: reports shards that are gone, starts those that can be read; gives how many. */
  private follow(run: WorkerRun, { shards }: StreamDescription): number {
    const { journal, report } = run;
    for (const shardId of vanishedShards(new Set([...journal.shardIds(), ...this.tasks.keys()]), shards)) {
      const task = this.tasks.get(shardId)?.task;
      if (!journal.isFinished(shardId) && task?.isCancelled() !== true) {
        report.onTrimmed(shardId, `Shard ${shardId} has left the stream before it was read to its end.`);
      }
      task?.cancel();
      journal.forget(shardId);
    }
    const isFinished = (shardId: string): boolean => journal.isFinished(shardId);
    const fresh = readableShards(shards, isFinished).filter(({ shardId }) => !this.tasks.has(shardId));
    for (const { shardId } of fresh) this.start(run, shardId);
    this.quiet.waiting(waitingShards(shards, isFinished));
    return fresh.length;
  }

  private start(run: WorkerRun, shardId: string): void {
    const task = new ShardTask(run, shardId);
    const ended = task
      .work()
      .catch((error: unknown) => {
        // The first failure is the cause; others come of the same.
        this.failure ??= { error };
        this.end();
      })
      .finally(() => this.tasks.delete(shardId));
    this.tasks.set(shardId, { task, ended });
  }

  /**
   * Whether no shard is left to read: at once where the stream is disabled, else where several listings say so, since
   * the shard that goes on from a closed one may be listed a little later.
   */
  private isExhausted({ status }: StreamDescription): boolean {
    this.emptyListings = this.tasks.size === 0 && status !== 'ENABLING' ? this.emptyListings + 1 : 0;
    return this.emptyListings >= (status === 'DISABLED' ? 1 : EMPTY_LISTINGS);
  }

  private newRun(journal: Journal, hasEarlierStream: boolean): WorkerRun {
    const { source, settings, quiet, report, stopping } = this;
    const { graph, store, projector = createProjector(graph, { store }) } = settings;
    return {
      graph,
      source,
      projector,
      journal,
      quiet,
      report,
      leftovers: new LeftoverFilter(store, source.streamArn, hasEarlierStream || journal.shardIds().length > 0),
      gate: new Gate(settings.shardConcurrency ?? 4),
      limits: { maxRecords: settings.maxBatchRecords ?? 10_000, maxBytes: settings.maxBatchBytes ?? 6_000_000 },
      pollIntervalMs: settings.pollIntervalMs ?? 200,
      batchTimeoutMs: settings.batchTimeoutMs ?? 120_000,
      stopping: stopping.signal,
      graceMs: () => this.graceMs(),
      onLineageChange: () => this.bell.ring(),
      onEmptyPoll: (shardId) => {
        quiet.emptyPoll(shardId);
        if (this.wantsIdle() && quiet.isQuiet()) this.bell.ring();
      },
    };
  }

  private wantsIdle(): boolean {
    return this.untilIdle || this.idleWaiters.length > 0;
  }

  private end(): void {
    if (this.stopping.signal.aborted) return;
    this.stoppedAtMs = Date.now();
    this.stopping.abort();
    this.bell.ring();
  }

  private graceMs(): number {
    if (!this.stopping.signal.aborted) return Number.POSITIVE_INFINITY;
    return this.stoppedAtMs + (this.settings.stopGraceMs ?? 10_000) - Date.now();
  }
}

function endedEarly(): EdgeloomError {
  return new EdgeloomError('worker-ended', 'The worker ended before the stream was quiet.');
}

function streamEnded(streamArn: string): EdgeloomError {
  return new EdgeloomError(
    'stream-ended',
    `The stream ${streamArn} is read to its end, and nothing more will come.`,
    'Its table was deleted, or its stream was switched off; start again to follow the stream that the table has now.',
  );
}
