import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import type { ScanSource, Store } from '../../src/core/store-port.ts';
import { checkGraph, checkOptions } from '../../src/foundation/options.ts';
import { createWorker } from '../../src/projecting/worker/worker.ts';
import type { WorkerResult, WorkerSettings } from '../../src/projecting/worker/worker-types.ts';
import { withReplacedCalls } from '../../src/store/wrapped.ts';
import { ENGINE_OPTIONS, type EngineName, type EngineOptions } from './engine/engine.ts';
import { type LocalObserver, type LocalObserverSettings, startLocalObserver } from './local-observer.ts';
import { type LocalMirrors, type LocalSourcesOptions, startLocalMirrors } from './local-sources.ts';
import { openLocalTable } from './local-table.ts';

/** Options of `startLocal`. */
export interface LocalOptions
  extends EngineOptions,
    Pick<WorkerSettings, 'projector' | 'maxBatchRecords' | 'onBatch' | 'onTrimmed' | 'logger'>,
    Pick<LocalObserverSettings, 'onDrift'>,
    LocalSourcesOptions {
  /** Milliseconds between two polls of a quiet stream. Default: 50. */
  pollIntervalMs?: number | undefined;
  /**
   * Clock in milliseconds since 1970. The worker uses it to delete counted edges that have expired. In tests, give the same clock to reader
   * and writer. Default: the engine's clock.
   */
  now?: (() => number) | undefined;
  /** Runs an observer that verifies each projected change: see docs/explain/observing.md. Default: true. */
  observe?: boolean | undefined;
}

/** A running engine with a model's table, and a worker that projects it. */
export interface Local {
  /** The name of the running engine. */
  engine: EngineName;
  /** `http://127.0.0.1:PORT`. Accepts any credentials and region. */
  endpoint: string;
  /** A client for the engine, which `DynamoDBDocumentClient.from` also accepts. */
  client: DynamoDBClient;
  /** Reads and writes the table. */
  store: Store & ScanSource;
  /** ARN of the table's stream. */
  streamArn: string;
  worker: {
    /** Resolves when all writes so far are projected. Rejects if the worker or the engine ends first. */
    idle(): Promise<void>;
    /** Resolves with the worker's result. Rejects with the error that ended the worker or the engine. */
    ended: Promise<WorkerResult>;
  };
  /** Reports up to which time all derived items are verified. Absent with `observe: false`. */
  observer?: LocalObserver;
  /** Mirrors the sources into the table. Absent without `sources`. */
  mirrors?: LocalMirrors;
  /**
   * Stops mirrors, worker, observer and engine, in this order. Current batches are finished first, except the worker's
   * with the engine `memory`. Safe to call again.
   */
  stop(): Promise<void>;
}

/**
 * Starts an embedded engine with a model's table, a worker and an observer, for tests and development. With `dataDir`, a later start
 * resumes. Throws what `startEngine` throws, and `table-differs` if a kept table can't be changed to fit the model.
 *
 * @example
 * const local = await startLocal(graph);
 * await createWriter(graph, { store: local.store }).putNode('USER-1', { name: 'Ada' });
 * await local.worker.idle();
 * await local.stop();
 */
export async function startLocal(graph: CompiledModel, options: LocalOptions = {}): Promise<Local> {
  checkGraph('startLocal', graph);
  checkOptions('startLocal', options, {
    ...ENGINE_OPTIONS,
    projector: true,
    maxBatchRecords: 'count',
    onBatch: 'function',
    onTrimmed: 'function',
    logger: true,
    onDrift: 'function',
    pollIntervalMs: 'timer',
    observe: 'boolean',
    now: 'function',
    sources: true,
    sourceEndpoint: true,
  });
  const { projector, maxBatchRecords, onBatch, onTrimmed, logger, now, ...others } = options;
  const { pollIntervalMs = 50, observe = true, onDrift, sources = [], sourceEndpoint, ...place } = others;
  const table = await openLocalTable(graph, place);
  const { endpoint, client, streams, store, streamArn, checkpoint, loss } = table;
  const worker = createWorker(graph, {
    ...{ streams, streamArn, checkpoint, pollIntervalMs },
    store: now === undefined ? store : withReplacedCalls(store, { serverTime: async () => now() }),
    ...{ projector, maxBatchRecords, onBatch, onTrimmed, logger },
    // Shorter than on AWS, because somebody at a terminal may be waiting for expired edges to disappear.
    endedIntervalMs: 1_000,
    // The data is lost when this process ends, so finishing a batch gains nothing.
    ...(table.engine === 'memory' && { stopGraceMs: 0 }),
  });
  const ended = Promise.race([worker.run(), loss]);
  // `ended` and `idle` report a failure, but a program may ignore both.
  ended.catch(() => undefined);
  const observing = observe ? startLocalObserver(graph, table, { onDrift, logger }) : undefined;
  const stop = async (): Promise<void> => {
    await worker.stop();
    await observing?.stop();
    await table.close();
  };
  const { dataDir } = place;
  const mirroring =
    sources.length === 0
      ? undefined
      : await startLocalMirrors(graph, table, { sources, sourceEndpoint, dataDir, pollIntervalMs, logger }).catch(
          async (error: unknown) => {
            await stop();
            throw error;
          },
        );
  return {
    engine: table.engine,
    endpoint,
    client,
    store,
    streamArn,
    worker: { idle: () => Promise.race([worker.idle(), loss]), ended },
    ...(observing && { observer: observing.observer }),
    ...(mirroring && { mirrors: mirroring.mirrors }),
    stop: async () => {
      await mirroring?.stop();
      await stop();
    },
  };
}
