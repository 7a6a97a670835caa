import { CreateTableCommand, type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import pMap from 'p-map';
import { type Engine, startEngine } from '../../packages/local/engine/engine.ts';
import { itemSizeBytes } from '../../src/core/items/attribute-value.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import type { Store } from '../../src/core/store-port.ts';
import { createClient } from '../../src/store/client.ts';
import { tableDefinition } from '../../src/store/definition/table-definition.ts';
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
 * Runs something on a fresh engine and table with `items`. The engine slows down as a stream grows, so the table has none.
 *
 * @param dataDir where the engine keeps its data. Default: a scratch folder.
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

export async function load(store: Pick<Store, 'writeMany'>, items: readonly Item[]): Promise<void> {
  await pMap(chunksOf(items), (chunk) => store.writeMany(chunk.map((item) => ({ put: item }))), { concurrency: 8 });
}

function* chunksOf(items: readonly Item[]): Generator<Item[]> {
  let chunk: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = itemSizeBytes(item);
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

/** By `itemKey`. */
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

export function itemKey(item: Item): string {
  const { source, target } = item as Record<string, { S: string }>;
  return `${source!.S} ${target!.S}`;
}
