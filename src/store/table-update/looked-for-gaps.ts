import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { type Item, stringOf } from '../../core/items/attribute-value.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { type NativeGap, NativeGaps } from '../../core/model/native-misfits.ts';
import { withClassifiedErrors } from '../answers.ts';

/** At 800 bytes per item, reading them takes 1,000 read units. `edgeloom check` examines the whole table. */
const MOST_LOOKED_AT = 10_000;

/** Native lists that would lack some of the table's first items. */
export interface LookedForGaps {
  gaps: NativeGap[];
  /** Number of items examined. */
  items: number;
  /** True if the table has no more items. */
  isWhole: boolean;
}

export async function lookForGaps(client: DynamoDBClient, graph: CompiledModel): Promise<LookedForGaps> {
  const { name, partitionKey, sortKey } = graph.table;
  const native = new NativeGaps(graph);
  let items = 0;
  let startKey: Item | undefined;
  do {
    const command = new ScanCommand({ TableName: name, ...(startKey && { ExclusiveStartKey: startKey as never }) });
    const page = await withClassifiedErrors(() => client.send(command));
    for (const item of (page.Items ?? []) as Item[]) {
      items += 1;
      native.addItem({ source: stringOf(item[partitionKey]) ?? '', target: stringOf(item[sortKey]) ?? '' }, item);
    }
    startKey = page.LastEvaluatedKey as Item | undefined;
  } while (startKey !== undefined && items < MOST_LOOKED_AT);
  return { gaps: native.gaps, items, isWhole: startKey === undefined };
}
