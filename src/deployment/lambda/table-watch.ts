import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { ScanSource, Store } from '../../core/store-port.ts';
import { messageOf } from '../../foundation/errors.ts';
import { type RegistryState, registryState } from '../../registry/notice.ts';
import type { FunctionLogger } from './function-logger.ts';

export interface WatchedTable {
  graph: CompiledModel;
  store: Store & ScanSource;
  /** Undefined if the caller gave a store; the table's identity is then unknown. */
  client: (() => Promise<DynamoDBClient>) | undefined;
  logger: FunctionLogger;
  now: (() => number) | undefined;
  remainingMs(): number;
}

/**
 * Registers an empty table, so that a deployment is managed before its first migration. Leaves a table with items to a
 * person, because its searches would be unavailable until verified.
 */
export async function registeredState(table: WatchedTable): Promise<RegistryState> {
  const { graph, store, logger } = table;
  const reader = { store, stats: { rcu: 0 } };
  const state = await registryState(reader);
  if (state.isManaged) return state;
  try {
    if (await registerNewTable(table)) logger.info({ table: graph.table.name }, 'the empty table is registered');
    else {
      const next = `npx edgeloom migrate --table ${graph.table.name}`;
      logger.warn(
        { table: graph.table.name, next },
        'the table is not registered in full: it has items, lacks indexes of the model, or time ended',
      );
    }
  } catch (error) {
    logger.warn({ error: messageOf(error) }, 'the table was not registered');
  }
  return await registryState(reader);
}

async function registerNewTable({ graph, store, client, now, remainingMs }: WatchedTable): Promise<boolean> {
  // Loaded on demand, since most calls find a registry.
  const { registerIfEmpty } = await import('../../migrate/register-empty.ts');
  const ofTable = client && (await readIdentity(await client(), graph));
  return await registerIfEmpty({ graph, store, now, remainingMs, waitsBetweenCalls: true, ...ofTable });
}

async function readIdentity(client: DynamoDBClient, graph: CompiledModel) {
  const { serverTime, tableIdentity } = await import('../../store/table-description.ts');
  return { ...(await tableIdentity(graph, { client })), serverTime: () => serverTime(graph, { client }) };
}

/** Tells whether the stream was replaced, which its event source mapping doesn't report. Undefined without a client. */
export async function isStreamReplaced(
  { graph, client, logger }: WatchedTable,
  streamArn: string,
): Promise<boolean | undefined> {
  if (client === undefined) return undefined;
  const { describeTable } = await import('../../store/table-description.ts');
  const { streamArn: current } = await describeTable(graph, { client: await client() });
  if (current === streamArn) return false;
  logger.error({ reads: streamArn, has: current ?? null }, 'the stack does not read the stream of the table');
  return true;
}
