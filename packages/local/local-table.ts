import { join } from 'node:path';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import type { ScanSource, Store } from '../../src/core/store-port.ts';
import { EdgeloomError } from '../../src/foundation/errors.ts';
import { registerIfEmpty } from '../../src/migrate/register-empty.ts';
import { createClient, createStreamsClient } from '../../src/store/client.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import {
  createTable,
  describeTable,
  serverTime,
  tableExists,
  tableIdentity,
} from '../../src/store/table-description.ts';
import { updateTable } from '../../src/store/table-update/update.ts';
import { type CheckpointStore, fileCheckpoint, memoryCheckpoint } from '../../src/stream/checkpoint.ts';
import { type Engine, type EngineName, type EngineOptions, startEngine } from './engine/engine.ts';

/** An engine with a model's table in it. */
export interface LocalTable {
  /** The engine that runs. */
  engine: EngineName;
  /** `http://127.0.0.1:PORT`; any credentials and region will do. */
  endpoint: string;
  /** A client for the engine. */
  client: DynamoDBClient;
  streams: DynamoDBStreamsClient;
  /** The table. */
  store: Store & ScanSource;
  /** ARN of the table's stream. */
  streamArn: string;
  /** Where the follower of the stream keeps how far it came: it belongs to the data, and goes with it. */
  checkpoint: CheckpointStore;
  /** Rejects when the engine ends (`engine-ended`); after a stop it is not listened to. */
  loss: Promise<never>;
  /** Closes the clients and stops the engine. Calling it again is fine. */
  close(): Promise<void>;
}

/** The checkpoint's name in the data folder. */
const CHECKPOINT_FILE = 'checkpoint.json';

/**
 * Starts an engine and makes sure that the model's table is in it; the model is registered with an empty one. Throws an `EdgeloomError` where the engine does not
 * start (see `startEngine`) or a kept table cannot be brought to the model (`table-differs`).
 */
export async function openLocalTable(graph: CompiledModel, options: EngineOptions): Promise<LocalTable> {
  const { engine, port, dataDir, mostBytes } = options;
  const running = await startEngine({ engine, port, dataDir, mostBytes });
  const { name, endpoint } = running;
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
    await registerIfEmpty({
      graph,
      store,
      serverTime: () => serverTime(graph, { client }),
      ...(await tableIdentity(graph, { client })),
    });
    const loss = failWhenEngineEnds(running);
    // A race against it tells of it.
    loss.catch(() => undefined);
    return {
      engine: name,
      endpoint,
      client,
      streams,
      store,
      streamArn,
      checkpoint: dataDir === undefined ? memoryCheckpoint() : fileCheckpoint(join(dataDir, CHECKPOINT_FILE)),
      loss,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function failWhenEngineEnds(engine: Engine): Promise<never> {
  await engine.ended;
  throw new EdgeloomError(
    'engine-ended',
    `The engine at ${engine.endpoint} has ended.`,
    'Start another one with startEngine or startLocal, and use its endpoint.',
  );
}

/** Creates the table where it is absent, and gives a kept one what the model needs by now; gives its stream's ARN. */
async function ensureTable(client: DynamoDBClient, graph: CompiledModel): Promise<string> {
  if (!(await tableExists(client, graph))) return (await createTable(graph, { client })).streamArn!;
  const { lacks } = await describeTable(graph, { client });
  if (lacks.length > 0) await updateTable(graph, { client });
  return (await describeTable(graph, { client })).streamArn!;
}
