import { CreateTableCommand, type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import pMap from 'p-map';
import { type Engine, startEngine } from '../../packages/local/engine/engine.ts';
import { itemSizeBytes } from '../../src/core/items/attribute-value.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import type { ItemKey, ScanSource, Store } from '../../src/core/store-port.ts';
import { createClient } from '../../src/store/client.ts';
import { keySchema, tableDefinition } from '../../src/store/definition/table-definition.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import type { Item } from './images.ts';

export interface FreshTable {
  endpoint: string;
  client: DynamoDBClient;
  store: DynamoDBStore;
}

/** A batch of views may have megabytes. */
const LOAD_ITEMS = 25;
const LOAD_BYTES = 1024 * 1024;

/**
 * Runs `run` with a fresh engine and a table of `items`. The table has no stream, because the engine slows down as a
 * stream grows.
 * @param dataDir folder for the engine's data. Default: a scratch folder
 */
export async function withFreshTable<T>(
  graph: CompiledModel,
  items: readonly Item[],
  run: (table: FreshTable) => Promise<T>,
  dataDir?: string,
): Promise<T> {
  const engine: Engine = await startEngine({ dataDir });
  const client = createClient({ endpoint: engine.endpoint });
  try {
    const { StreamSpecification: _, ...definition } = tableDefinition(graph);
    await client.send(new CreateTableCommand(definition));
    const store = new DynamoDBStore(client, graph.table);
    await load(store, items);
    return await run({ endpoint: engine.endpoint, client, store });
  } finally {
    client.destroy();
    await engine.stop();
  }
}

/** Creates a table whose indexes project all attributes, as hand-made tables usually do. */
export async function createTableByHand(
  client: DynamoDBClient,
  TableName: string,
  keys: readonly [string, string],
  indexes: readonly (readonly [partition: string, sort: string])[],
): Promise<void> {
  await client.send(
    new CreateTableCommand({
      ...{ TableName, BillingMode: 'PAY_PER_REQUEST', KeySchema: keySchema(...keys) },
      AttributeDefinitions: [...keys, ...indexes.flat()].map((name) => ({ AttributeName: name, AttributeType: 'S' })),
      GlobalSecondaryIndexes: indexes.map((ofIndex, i) => ({
        IndexName: `gsi${i}`,
        KeySchema: keySchema(...ofIndex),
        Projection: { ProjectionType: 'ALL' },
      })),
    }),
  );
}

export async function load(store: Pick<Store, 'writeMany'>, items: readonly Item[]): Promise<void> {
  await pMap(chunksOf(items, itemSizeBytes), (chunk) => store.writeMany(chunk.map((item) => ({ put: item }))), {
    concurrency: 8,
  });
}

/** Chunks have as many items as a BatchWriteItem takes, and far fewer bytes. */
export function* chunksOf<T>(items: readonly T[], bytesOf: (item: T) => number): Generator<T[]> {
  let chunk: T[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = bytesOf(item);
    if (chunk.length === LOAD_ITEMS || (chunk.length > 0 && bytes + size > LOAD_BYTES)) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(item);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}

export async function scanned(store: ScanSource, segments: number): Promise<{ items: number; rcu: number }> {
  const sum = { items: 0, rcu: 0 };
  const scanSegment = async (_: unknown, segment: number): Promise<void> => {
    let startKey: Item | undefined;
    do {
      const page = await store.scan({ segment, segments, startKey });
      sum.items += page.items.length;
      sum.rcu += page.rcu;
      startKey = page.lastKey;
    } while (startKey !== undefined);
  };
  await pMap(Array.from({ length: segments }), scanSegment);
  return sum;
}

/** Keyed by `itemKey`. */
export async function scanTable(client: DynamoDBClient, graph: CompiledModel): Promise<Map<string, Item>> {
  const items = new Map<string, Item>();
  let start: Item | undefined;
  do {
    const page = await client.send(
      new ScanCommand({ TableName: graph.table.name, ExclusiveStartKey: start, ConsistentRead: true }),
    );
    for (const item of (page.Items ?? []) as Item[]) items.set(itemKey(item), item);
    start = page.LastEvaluatedKey as Item | undefined;
  } while (start !== undefined);
  return items;
}

export function keyOf(item: Item): ItemKey {
  const { source, target } = item as Record<'source' | 'target', { S: string }>;
  return { source: source.S, target: target.S };
}

export function itemKey(item: Item): string {
  const { source, target } = keyOf(item);
  return `${source} ${target}`;
}

export function byKey(items: Iterable<Item>): Map<string, Item> {
  return new Map([...items].map((item) => [itemKey(item), item]));
}
