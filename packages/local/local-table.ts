import { join } from 'node:path';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import type { ScanSource, Store } from '../../src/core/store-port.ts';
import { EdgeloomError } from '../../src/foundation/errors.ts';
import { registerIfEmpty } from '../../src/migrate/register-empty.ts';
import { createClient, createStreamsClient } from '../../src/store/client.ts';
import { findTable } from '../../src/store/described-table.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { createTable, describeTable, serverTime, tableIdentity } from '../../src/store/table-description.ts';
import { updateTable } from '../../src/store/table-update/update.ts';
import { type CheckpointStore, fileCheckpoint, memoryCheckpoint } from '../../src/stream/checkpoint.ts';
import { type Engine, type EngineName, type EngineOptions, startEngine } from './engine/engine.ts';

export interface LocalTable {
  engine: EngineName;
  endpoint: string;
  client: DynamoDBClient;
  streams: DynamoDBStreamsClient;
  store: Store & ScanSource;
  streamArn: string;
  /** Kept beside the data, so that both are kept or lost together. */
  checkpoint: CheckpointStore;
  /** Rejects with `already-ended` once the engine ends, even if `close` ended it. */
  loss: Promise<never>;
  close(): Promise<void>;
}

const CHECKPOINT_FILE = 'checkpoint.json';

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
    // Prevents an unhandled rejection: callers that race against `loss` report it.
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
    'already-ended',
    `The engine at ${engine.endpoint} has ended.`,
    'Start another one with startEngine or startLocal, and use its endpoint.',
  );
}

async function ensureTable(client: DynamoDBClient, graph: CompiledModel): Promise<string> {
  if ((await findTable(client, graph.table.name)) === undefined)
    return (await createTable(graph, { client })).streamArn!;
  const { lacks } = await describeTable(graph, { client });
  if (lacks.length > 0) await updateTable(graph, { client });
  return (await describeTable(graph, { client })).streamArn!;
}
