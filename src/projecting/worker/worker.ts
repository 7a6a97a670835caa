import pLimit from 'p-limit';
import { streamLabel } from '../../core/items/stream-arn.ts';
import type { CompiledModel, OfGraph, TableNames } from '../../core/model/compiled.ts';
import { isBaseSortKey } from '../../core/plan/stream-filter.ts';
import { checkOptions, checkStoreOptions, type OptionNames } from '../../foundation/options.ts';
import { doubtTable } from '../../registry/identity.ts';
import { requireKeyTypes } from '../../store/key-types.ts';
import { changedItem } from '../../stream/changed-items.ts';
import { DynamoDBStreamSource } from '../../stream/dynamodb-source.ts';
import { StreamFollower } from '../../stream/follower.ts';
import { ProgressRecorder } from '../../stream/progress/recorder.ts';
import type { StreamRecord, StreamSource } from '../../stream/source.ts';
import { createProjector } from '../apply/projector.ts';
import { type Sweeping, sweepEnded } from '../ended/delete-ended.ts';
import { WorkerReport } from './report.ts';
import { ShardTask, type WorkerRun } from './shard-task.ts';
import type { SourceWorkerOptions, Worker, WorkerOptions, WorkerResult, WorkerSettings } from './worker-types.ts';

const SETTINGS: OptionNames<WorkerSettings> = {
  store: true,
  projector: true,
  checkpoint: true,
  maxBatchRecords: 'count',
  maxBatchBytes: 'count',
  pollIntervalMs: 'timer',
  shardIntervalMs: 'timer',
  shardConcurrency: 'count',
  batchTimeoutMs: 'milliseconds',
  endedIntervalMs: 'timer',
  stopGraceMs: 'milliseconds',
  onBatch: 'function',
  onTrimmed: 'function',
  progress: 'boolean',
  logger: true,
  telemetry: true,
};

/**
 * Creates a worker that projects a table's stream, from its oldest record or from a checkpoint. The worker stores its
 * progress after applying records, so `kill -9` costs at most a replay. `run` throws `table-differs` if a key of
 * derived items isn't a string in the table.
 *
 * @example
 * const worker = createWorker(graph, { store, streams, streamArn, checkpoint: fileCheckpoint('checkpoint.json') });
 * const { records, wcu } = await worker.run({ untilIdle: true });
 */
export function createWorker(graph: CompiledModel, options: WorkerOptions): Worker {
  checkStoreOptions('createWorker', options, { ...SETTINGS, streams: true, streamArn: true });
  const { streams, streamArn, ...settings } = options;
  return new StreamWorker(new DynamoDBStreamSource(streams, streamArn), { ...settings, graph });
}

/** Like `createWorker`, but for any `StreamSource`. */
export function createSourceWorker(graph: CompiledModel, options: SourceWorkerOptions): Worker {
  checkStoreOptions('createSourceWorker', options, { ...SETTINGS, source: true });
  const { source, ...settings } = options;
  return new StreamWorker(source, { ...settings, graph });
}

class StreamWorker implements Worker {
  private readonly report: WorkerReport;
  private readonly progress: ProgressRecorder | undefined;
  private readonly follower: StreamFollower;
  private readonly sweep: () => Sweeping | undefined;
  private ended: Promise<void> = Promise.resolve();
  /** Withdraws all projections from readers until a migration has verified them. Undefined until records are lost. */
  private doubting: Promise<void> | undefined;

  constructor(source: StreamSource, settings: OfGraph<WorkerSettings>) {
    const { graph, store, checkpoint, shardIntervalMs, stopGraceMs } = settings;
    const report: WorkerReport = new WorkerReport({
      ...settings,
      onTrimmed: (trimmed) => {
        this.doubting ??= noteLostRecords(store, report);
        settings.onTrimmed?.(trimmed);
      },
    });
    this.report = report;
    this.sweep = () =>
      sweepEnded(graph, {
        store,
        intervalMs: settings.endedIntervalMs ?? 60_000,
        onError: (error) => report.logger.warn({ error: String(error) }, 'Edges that are over could not be deleted.'),
      });
    const limit = pLimit(settings.shardConcurrency ?? 4);
    this.progress = settings.progress === false ? undefined : progressRecorder(settings, source, report);
    this.follower = new StreamFollower(source, {
      name: 'worker',
      checkpoint,
      shardIntervalMs,
      stopGraceMs,
      report,
      onFirstListing: () => requireKeyTypes(graph, store, report.logger),
      backlog: { limit, isOfOthers: (record) => isOfProducer(graph.table, record) },
      open: (follow) => {
        const run = { ...follow, ...projectingOf(settings), limit, report, progress: this.progress };
        return (shardId) => new ShardTask(run, shardId);
      },
    });
  }

  async run(options: { untilIdle?: boolean } = {}): Promise<WorkerResult> {
    checkOptions('run of a worker', options, { untilIdle: 'boolean' });
    const { untilIdle = false } = options;
    const running = this.runToItsEnd(untilIdle);
    this.ended = running.then(
      () => undefined,
      () => undefined,
    );
    return await running;
  }

  idle(): Promise<void> {
    return this.follower.idle();
  }

  async stop(): Promise<void> {
    await this.follower.stop();
    await this.ended;
  }

  private async runToItsEnd(untilIdle: boolean): Promise<WorkerResult> {
    const sweeping = untilIdle ? undefined : this.sweep();
    try {
      return this.report.result(await this.follower.run(untilIdle));
    } finally {
      await sweeping?.stop();
      await this.doubting;
      await this.progress?.stop();
      this.report.onEnd();
    }
  }
}

/** The worker itself changes base items only in `deleteEnded`. */
function isOfProducer(table: TableNames, record: StreamRecord): boolean {
  const item = changedItem(table, record);
  return item !== undefined && isBaseSortKey(item.target);
}

function projectingOf(
  settings: OfGraph<WorkerSettings>,
): Pick<WorkerRun, 'graph' | 'projector' | 'limits' | 'pollIntervalMs' | 'batchTimeoutMs'> {
  const { graph, store, telemetry, projector = createProjector(graph, { store, telemetry }) } = settings;
  const { maxBatchRecords: maxRecords = 10_000, maxBatchBytes: maxBytes = 6_000_000 } = settings;
  const { pollIntervalMs = 200, batchTimeoutMs = 120_000 } = settings;
  return { graph, projector, limits: { maxRecords, maxBytes }, pollIntervalMs, batchTimeoutMs };
}

async function noteLostRecords(store: WorkerSettings['store'], { logger }: WorkerReport): Promise<void> {
  try {
    if (await doubtTable(store))
      logger.warn({}, 'Readers are given no projection until edgeloom migrate has verified it.');
  } catch (error) {
    logger.warn(
      { error: String(error) },
      'The registry could not be told that records are lost: run edgeloom rebuild.',
    );
  }
}

function progressRecorder(
  { graph, store }: OfGraph<WorkerSettings>,
  { streamArn }: StreamSource,
  { logger }: WorkerReport,
): ProgressRecorder {
  const onError = (error: unknown): void => logger.warn({ error: String(error) }, 'The progress could not be noted.');
  return new ProgressRecorder({ graph, store, kind: 'worker', stream: streamLabel(streamArn), onError });
}
