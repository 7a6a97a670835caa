import {
  CreateTableCommand,
  DeleteTableCommand,
  type DynamoDBClient,
  type TableDescription,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { streamLabel } from '../core/items/stream-arn.ts';
import { type CompiledModel, hasUsualIndexNames } from '../core/model/compiled.ts';
import { EdgeloomError } from '../foundation/errors.ts';
import { checkOptions } from '../foundation/options.ts';
import { withClassifiedErrors } from './answers.ts';
import { classifyError } from './classify.ts';
import { hasKeys, indexNamed, indexNeeds, stateOfIndex } from './definition/index-needs.ts';
import { tableDefinition } from './definition/table-definition.ts';
import { requireTable, streamArnOf, ttlOf } from './described-table.ts';
import { keyTypeText, otherKeyTypes } from './key-types.ts';
import { timeOfAnswer } from './lean/answer-time.ts';
import { TimedDescribeTableCommand } from './lean/timed-describe.ts';

/** Options of functions for a whole table. */
export interface TableAccess {
  /** A client for the account and region of the table. */
  client: DynamoDBClient;
}

/** A table as shown by `edgeloom table describe`. */
export interface TableStatus {
  table: string;
  status: string;
  indexes: string[];
  /** Projection types by index name. With `ALL`, every write of an item is also billed in the index. */
  projections: Record<string, string>;
  /** Absent if the table has no stream. */
  streamArn?: string;
  /** Descriptions of the keys, indexes and stream that the model needs and the table lacks. */
  lacks: string[];
  /** The indexes in `lacks` that `edgeloom migrate` adds. */
  addable: string[];
  /** Indexes of the model that DynamoDB is filling; reading them fails. */
  filling: string[];
  /** Number of items, including derived items. DynamoDB updates it about every six hours. */
  itemCount: number;
  /** Size of the table in bytes. DynamoDB updates it about every six hours. */
  sizeBytes: number;
}

/** An empty index costs nothing, and later searches and orders then need no new index. */
function withAllIndexes(graph: CompiledModel): CompiledModel {
  return hasUsualIndexNames(graph.table) ? { ...graph, indexes: graph.table.indexes } : graph;
}

const CREATE_SECONDS = 120;

/** Creates a model's table with TTL, and waits until it is active. */
export async function createTable(graph: CompiledModel, options: TableAccess): Promise<TableStatus> {
  checkOptions('createTable', options, { client: true });
  const { client } = options;
  const { name } = graph.table;
  try {
    await client.send(new CreateTableCommand(tableDefinition(withAllIndexes(graph))));
    await waitUntilTableExists(
      { client, maxWaitTime: CREATE_SECONDS, minDelay: 0.1, maxDelay: 2 },
      { TableName: name },
    );
    await enableTtl(client, graph);
    return await describeTable(graph, { client });
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceInUseException') {
      throw new EdgeloomError(
        'table-exists',
        `The table ${name} exists already.`,
        'Look at it with edgeloom table describe.',
      );
    }
    throw classifyError(error);
  }
}

/** Describes a table and compares it with the model. Throws `no-table` if there is none. */
export async function describeTable(graph: CompiledModel, options: TableAccess): Promise<TableStatus> {
  checkOptions('describeTable', options, { client: true });
  const table = await requireTable(options.client, graph.table.name);
  const projections = (table.GlobalSecondaryIndexes ?? []).map(
    ({ IndexName = '', Projection }) => [IndexName, Projection?.ProjectionType ?? ''] as const,
  );
  return {
    table: graph.table.name,
    status: table.TableStatus ?? 'UNKNOWN',
    indexes: projections.map(([index]) => index).sort(),
    projections: Object.fromEntries(projections),
    streamArn: streamArnOf(table),
    ...missingNeedsOf(graph, table),
    filling: indexNeeds(graph)
      .filter((need) => stateOfIndex(need, table) === 'filling')
      .map(({ name }) => name),
    itemCount: table.ItemCount ?? 0,
    sizeBytes: table.TableSizeBytes ?? 0,
  };
}

export async function enableTtl(client: DynamoDBClient, { table: { name, ttl } }: CompiledModel): Promise<void> {
  const specification = { AttributeName: ttl, Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification: specification }));
}

export async function hasTtl(client: DynamoDBClient, graph: CompiledModel): Promise<boolean> {
  return (await ttlOf(client, graph.table.name)) === graph.table.ttl;
}

export function missingNeedsOf(graph: CompiledModel, table: TableDescription): Pick<TableStatus, 'lacks' | 'addable'> {
  const { partitionKey, sortKey } = graph.table;
  const lacks: string[] = [];
  const addable: string[] = [];
  if (!hasKeys(table.KeySchema, partitionKey, sortKey)) lacks.push(`the keys ${partitionKey} and ${sortKey}`);
  for (const need of indexNeeds(graph)) {
    const state = stateOfIndex(need, table);
    if (state === 'fits' || state === 'filling') continue;
    const { name, partition, sort, held } = need;
    const found = indexNamed(name, table);
    const lacking = hasKeys(found?.KeySchema, partition, sort) ? need.lackingIn(found?.Projection) : '';
    const missing = state === 'differs' && lacking !== '' ? `, which lacks ${lacking}` : '';
    const text = `the index ${name} with the keys ${partition} and ${sort}${held}${missing}`;
    lacks.push(text);
    if (state === 'absent') addable.push(text);
  }
  lacks.push(...otherKeyTypes(graph, table).map(keyTypeText));
  const stream = table.StreamSpecification;
  if (stream?.StreamEnabled !== true || stream.StreamViewType !== 'NEW_AND_OLD_IMAGES') {
    lacks.push('a stream of new and old images');
  }
  return { lacks, addable };
}

/** Reads a table's identity. Throws `no-table` if there is none. */
export async function tableIdentity(graph: CompiledModel, options: TableAccess): Promise<DescribedIdentity> {
  checkOptions('tableIdentity', options, { client: true });
  return identityOf(await requireTable(options.client, graph.table.name));
}

/**
 * A table's id, its stream's label, and its regions if it has replicas. Empty if the engine reports no id or the table
 * has no stream.
 */
export interface DescribedIdentity {
  table?: { id: string; streamLabel: string };
  regions?: { region: string; replicas: string[] };
}

export function identityOf(table: TableDescription): DescribedIdentity {
  const { TableId } = table;
  const streamArn = streamArnOf(table);
  if (TableId === undefined || streamArn === undefined) return {};
  const region = streamArn.split(':')[3] ?? '';
  const replicas = (table.Replicas ?? []).flatMap(({ RegionName: name }) =>
    name === undefined || name === region ? [] : [name],
  );
  return {
    table: { id: TableId, streamLabel: streamLabel(streamArn) },
    ...(replicas.length > 0 && { regions: { region, replicas } }),
  };
}

/** Returns DynamoDB's time in milliseconds since 1970; undefined if its answer has none. */
export async function serverTime(graph: CompiledModel, options: TableAccess): Promise<number | undefined> {
  checkOptions('serverTime', options, { client: true });
  const command = new TimedDescribeTableCommand({ TableName: graph.table.name });
  return timeOfAnswer(await withClassifiedErrors(() => options.client.send(command)));
}

/** Deletes a model's table and everything in it. Throws `no-table` if there is none. */
export async function deleteTable(graph: CompiledModel, options: TableAccess): Promise<TableStatus> {
  checkOptions('deleteTable', options, { client: true });
  const { client } = options;
  const { name } = graph.table;
  await requireTable(client, name);
  await withClassifiedErrors(() => client.send(new DeleteTableCommand({ TableName: name })));
  return {
    table: name,
    status: 'DELETING',
    indexes: [],
    projections: {},
    lacks: [],
    addable: [],
    filling: [],
    itemCount: 0,
    sizeBytes: 0,
  };
}
