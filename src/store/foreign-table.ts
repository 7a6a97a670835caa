import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ScanCommand,
  type TableDescription,
} from '@aws-sdk/client-dynamodb';
import pMap from 'p-map';
import type { Item } from '../core/items/attribute-value.ts';
import { EdgeloomError } from '../foundation/errors.ts';
import { classifyError } from './classify.ts';

/** Reads of a table for which there is no model: its description, and some of its items. */

/** Parts of the table that the sample comes from, all at once: the items of a partition lie together. */
const SEGMENTS = 16;
/** Items of a page. */
const PAGE_ITEMS = 250;

/**
 * Reads the description of a table, and the attribute by which it deletes items; `ttl` is undefined where it deletes none. Throws
 * `no-table` where there is no table.
 */
export async function describeForeignTable(
  client: DynamoDBClient,
  name: string,
): Promise<{ table: TableDescription; ttl: string | undefined }> {
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
    const { TimeToLiveDescription: ttl } = await client.send(new DescribeTimeToLiveCommand({ TableName: name }));
    const isOn = ttl?.TimeToLiveStatus === 'ENABLED' || ttl?.TimeToLiveStatus === 'ENABLING';
    return { table: Table!, ttl: isOn ? ttl?.AttributeName : undefined };
  } catch (error) {
    if (error instanceof Error && error.name === 'ResourceNotFoundException') {
      throw new EdgeloomError('no-table', `There is no table ${name}.`, 'Name another with --table.');
    }
    throw classifyError(error);
  }
}

/** Reads items from the beginnings of segments, `most` of them at most, and counts the read units. */
export async function sampleForeignTable(
  client: DynamoDBClient,
  name: string,
  most: number,
): Promise<{ items: Item[]; rcu: number }> {
  const segments = Math.min(SEGMENTS, most);
  let rcu = 0;
  const read = async (segment: number): Promise<Item[]> => {
    const items: Item[] = [];
    const share = Math.floor(most / segments) + (segment < most % segments ? 1 : 0);
    let startKey: Item | undefined;
    do {
      const { Items, LastEvaluatedKey, ConsumedCapacity } = await client.send(
        new ScanCommand({
          TableName: name,
          Segment: segment,
          TotalSegments: segments,
          Limit: Math.min(PAGE_ITEMS, share - items.length),
          ExclusiveStartKey: startKey,
          ReturnConsumedCapacity: 'TOTAL',
        }),
      );
      items.push(...((Items ?? []) as Item[]));
      rcu += ConsumedCapacity?.CapacityUnits ?? 0;
      startKey = LastEvaluatedKey as Item | undefined;
    } while (startKey !== undefined && items.length < share);
    return items;
  };
  try {
    const pages = await pMap(Array(segments).keys(), read, { concurrency: segments });
    return { items: pages.flat(), rcu };
  } catch (error) {
    throw classifyError(error);
  }
}
