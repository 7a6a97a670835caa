import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { type Item, stringOf } from '../../core/items/attribute-value.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { type NativeGap, NativeGaps } from '../../core/model/native-misfits.ts';
import { classifyError } from '../classify.ts';

/** Items of the table that are looked at, at most: some 8 MB, which cost 1,000 read units. `edgeloom check` looks at all of them. */
const MOST_LOOKED_AT = 10_000;

/** The native lists that would lack items of the table, by its first items. */
export interface LookedForGaps {
  gaps: NativeGap[];
  /** The number of items that were looked at. */
  items: number;
  /** True if these are all of the table. */
  isWhole: boolean;
}

/** Looks for items that a new native index would leave out, among the first items of the table. */
export async function lookForGaps(client: DynamoDBClient, graph: CompiledModel): Promise<LookedForGaps> {
  const { name, partitionKey, sortKey } = graph.table;
  const native = new NativeGaps(graph);
  let items = 0;
  let startKey: Item | undefined;
  do {
    const page = await client
      .send(new ScanCommand({ TableName: name, ...(startKey && { ExclusiveStartKey: startKey as never }) }))
      .catch((error: unknown) => {
        throw classifyError(error);
      });
    for (const item of (page.Items ?? []) as Item[]) {
      items += 1;
      native.addItem({ source: stringOf(item[partitionKey]) ?? '', target: stringOf(item[sortKey]) ?? '' }, item);
    }
    startKey = page.LastEvaluatedKey as Item | undefined;
  } while (startKey !== undefined && items < MOST_LOOKED_AT);
  return { gaps: native.gaps, items, isWhole: startKey === undefined };
}
