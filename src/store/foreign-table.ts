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

/** Reads a table without a model: its description, and some items. */

/** Segments that the sample is read from, since a partition's items lie together. */
const SEGMENTS = 16;
const PAGE_ITEMS = 250;

/** `ttl` is undefined if the table deletes no items. Throws `no-table`. */
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

/** Reads at most `most` items from the beginnings of segments, and counts read units. */
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
