import {
  CreateTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  GetItemCommand,
  type GetItemCommandInput,
  ScanCommand,
  type ScanCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { Item } from '../core/items/attribute-value.ts';
import { requireAnswer, withClassifiedErrors, withoutLostValues } from './answers.ts';
import { findTable, streamArnOf } from './described-table.ts';

/** Reads a source table in DynamoDB, which may have any keys. Never writes. */
export class DynamoDBSourceStore {
  /** @param table the table's name, or its ARN if another account owns it. */
  constructor(
    private readonly client: DynamoDBClient,
    private readonly table: string,
  ) {}

  /** Reads an item consistently. */
  async get(key: Item): Promise<{ item?: Item; rcu: number }> {
    const Key = key as GetItemCommandInput['Key'];
    const command = new GetItemCommand({
      ...{ TableName: this.table, Key },
      ConsistentRead: true,
      ReturnConsumedCapacity: 'TOTAL',
    });
    const { Item: found, ConsumedCapacity } = await withClassifiedErrors(() => this.client.send(command));
    return { ...(found && { item: withoutLostValues(found) }), rcu: ConsumedCapacity?.CapacityUnits ?? 0 };
  }

  /** Reads a page with eventual consistency. */
  async scan({
    startKey,
  }: {
    startKey?: Item | undefined;
  }): Promise<{ items: Item[]; lastKey?: Item | undefined; rcu: number }> {
    return await scanPage(this.client, { TableName: this.table }, startKey);
  }

  async streamArn(): Promise<string | undefined> {
    const command = new DescribeTableCommand({ TableName: this.table });
    const { Table } = await withClassifiedErrors(() => this.client.send(command));
    return Table && streamArnOf(Table);
  }
}

export async function scanPage(client: DynamoDBClient, input: ScanCommandInput, startKey?: Item) {
  const ExclusiveStartKey = startKey as ScanCommandInput['ExclusiveStartKey'];
  const command = new ScanCommand({ ...input, ExclusiveStartKey, ReturnConsumedCapacity: 'TOTAL' });
  const { Items, LastEvaluatedKey, ConsumedCapacity } = await withClassifiedErrors(() => client.send(command));
  return {
    items: requireAnswer(Items, 'Scan', 'Items').map(withoutLostValues),
    lastKey: LastEvaluatedKey as Item | undefined,
    rcu: ConsumedCapacity?.CapacityUnits ?? 0,
  };
}

interface NamedTable {
  name: string;
  keys: { partitionKey: string; sortKey?: string | undefined };
}

/** Returns the ARN of the stream, if the table has one. */
export async function makeSourceTable(
  client: DynamoDBClient,
  { name: table, keys }: NamedTable,
): Promise<string | undefined> {
  const names = [keys.partitionKey, ...(keys.sortKey === undefined ? [] : [keys.sortKey])];
  const found = await findTable(client, table);
  if (found !== undefined) return streamArnOf(found);
  const command = new CreateTableCommand({
    TableName: table,
    AttributeDefinitions: names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: names.map((AttributeName, i) => ({ AttributeName, KeyType: i === 0 ? 'HASH' : 'RANGE' })),
    BillingMode: 'PAY_PER_REQUEST',
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  });
  const { TableDescription } = await withClassifiedErrors(() => client.send(command));
  return TableDescription?.LatestStreamArn;
}
