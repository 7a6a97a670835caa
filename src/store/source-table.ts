import {
  DescribeTableCommand,
  type DynamoDBClient,
  GetItemCommand,
  type GetItemCommandInput,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import type { Item } from '../core/items/attribute-value.ts';
import { requireAnswer, withClassifiedErrors, withoutLostValues } from './answers.ts';
import { streamArnOf } from './described-table.ts';

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
    const ExclusiveStartKey = startKey as GetItemCommandInput['Key'];
    const command = new ScanCommand({ TableName: this.table, ExclusiveStartKey, ReturnConsumedCapacity: 'TOTAL' });
    const { Items, LastEvaluatedKey, ConsumedCapacity } = await withClassifiedErrors(() => this.client.send(command));
    return {
      items: requireAnswer(Items, 'Scan', 'Items').map(withoutLostValues),
      lastKey: LastEvaluatedKey as Item | undefined,
      rcu: ConsumedCapacity?.CapacityUnits ?? 0,
    };
  }

  async streamArn(): Promise<string | undefined> {
    const command = new DescribeTableCommand({ TableName: this.table });
    const { Table } = await withClassifiedErrors(() => this.client.send(command));
    return Table && streamArnOf(Table);
  }
}
