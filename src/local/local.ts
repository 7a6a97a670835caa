import { join } from 'node:path';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EdgeloomError } from '../errors.ts';
import type { AnyGraph } from '../model/graph.ts';
import { createClient, createStreamsClient } from '../store/client.ts';
import { DynamoDBStore } from '../store/dynamodb.ts';
import type { ScanSource, Store } from '../store/port.ts';
import { createTable, describeTable, tableExists } from '../store/table.ts';
import { fileCheckpoint, memoryCheckpoint } from './checkpoint.ts';
import { type Engine, type EngineOptions, startEngine } from './engine.ts';
import { createWorker } from './worker.ts';
import type { WorkerResult, WorkerSettings } from './worker-types.ts';

/** Options of `startLocal`: where the engine runs, and how the worker works. */
export interface LocalOptions
  extends EngineOptions,
    Pick<WorkerSettings, 'projector' | 'maxBatchRecords' | 'onBatch' | 'onTrimmed' | 'logger'> {
  graph: AnyGraph;
  /** Milliseconds between two polls of a quiet stream. Default 50. */
  pollIntervalMs?: number;
}

/** An engine, a model's table in it, and a worker that projects it. */
export interface Local {
  /** `http://127.0.0.1:PORT`; any credentials and region will do. */
  endpoint: string;
  /** A client for the engine. */
  client: DynamoDBClient;
  /** The table. */
  store: Store & ScanSource;
  /** ARN of the table's stream. */
  streamArn: string;
  worker: {
    /** Resolves when all that was written up to now is projected. Rejects where worker or engine end before. */
    idle(): Promise<void>;
    /** The worker's end: what it did, or the error that it, or the engine, gave up with. */
    ended: Promise<WorkerResult>;
  };
  /** Finishes the batch in hand, then stops worker and engine. Calling it again is fine. */
  stop(): Promise<void>;
}

/** The checkpoint's name in the data folder: it belongs to the data, and goes with it. */
const CHECKPOINT_FILE = 'checkpoint.json';

/**
 * Starts an embedded engine with a model's table and a worker that projects it: for tests and development. With
 * `dataDir` a later start finds the table, and goes on where the worker was. Throws an `EdgeloomError` where the engine
 * does not start (see `startEngine`) or the kept table does not fit the model (`table-differs`).
 *
 * @example
 * const local = await startLocal({ graph });
 * await createWriter(graph, { store: local.store }).putNode('USER-1', { name: 'Ada' });
 * await local.worker.idle();
 * await local.stop();
 */
export async function startLocal(options: LocalOptions): Promise<Local> {
  const { graph, engine, port, dataDir, pollIntervalMs = 50, ...settings } = options;
  const running = await startEngine({ engine, port, dataDir });
  const { endpoint } = running;
  const client = createClient({ endpoint });
  const streams = createStreamsClient({ endpoint });
  const close = async (): Promise<void> => {
    client.destroy();
    streams.destroy();
    await running.stop();
  };
  try {
    const streamArn = await ensureTable(client, graph);
    const store = new DynamoDBStore(client, graph.table);
    const checkpoint = dataDir === undefined ? memoryCheckpoint() : fileCheckpoint(join(dataDir, CHECKPOINT_FILE));
    const worker = createWorker({ ...settings, graph, store, streams, streamArn, checkpoint, pollIntervalMs });
    const run = worker.run();
    const loss = lossOf(running);
    const ended = Promise.race([run, loss]);
    // It is told to whoever asks for it, and by `idle`; a process that asks for neither goes on without.
    ended.catch(() => undefined);
    const stop = async (): Promise<void> => {
      await worker.stop();
      await close();
    };
    return {
      endpoint,
      client,
      store,
      streamArn,
      worker: { idle: () => Promise.race([worker.idle(), loss]), ended },
      stop,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Rejects when the engine ends; after a stop nobody listens any more. */
async function lossOf(engine: Engine): Promise<never> {
  await engine.ended;
  throw new EdgeloomError('engine-ended', `The engine at ${engine.endpoint} has ended.`, 'Start it again.');
}

/** Creates the table where it is absent; gives its stream's ARN. */
async function ensureTable(client: DynamoDBClient, graph: AnyGraph): Promise<string> {
  const { name, indexNames } = graph.table;
  const exists = await tableExists(client, graph);
  const { indexes, streamArn } = exists ? await describeTable(client, graph) : await createTable(client, graph);
  const missing = graph.indexes.map((index) => indexNames[index]).filter((index) => !indexes.includes(index));
  if (streamArn !== undefined && missing.length === 0) return streamArn;
  throw new EdgeloomError(
    'table-differs',
    streamArn === undefined
      ? `The kept table ${name} has no stream.`
      : `The kept table ${name} lacks what the model needs: index ${missing.join(', ')}.`,
    'Use another data folder, or another table name.',
  );
}
