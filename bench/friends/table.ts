import {
  BatchWriteItemCommand,
  CreateTableCommand,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type QueryCommandOutput,
  ScanCommand,
  type ScanCommandOutput,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import pMap from 'p-map';
import { type AttributeValue, type Item, itemSizeBytes } from '../../src/core/items/attribute-value.ts';
import { chunksOf } from '../support/table.ts';

export interface Cost {
  milliseconds: number;
  /** All reads are strongly consistent. */
  rcu: number;
  wcu: number;
  /** Sizes of keys, names and values in requests and answers, as DynamoDB counts them. */
  bytes: number;
}

export interface TableKey {
  partition: string;
  sort?: string;
}

export interface ItemUpdate {
  set?: Item;
  remove?: readonly string[];
  /** Values that must be stored. Undefined means absent. */
  expect?: Readonly<Record<string, AttributeValue | undefined>>;
}

const BATCHES_AT_ONCE = 4;

export class MeteredTable {
  private cost: Cost = { milliseconds: 0, rcu: 0, wcu: 0, bytes: 0 };
  /** Spent within an operation, but not counted. */
  private outsideMilliseconds = 0;

  constructor(
    private readonly client: DynamoDBClient,
    readonly name: string,
    readonly key: TableKey,
  ) {}

  async create(): Promise<void> {
    const { partition, sort } = this.key;
    const names = sort === undefined ? [partition] : [partition, sort];
    await this.client.send(
      new CreateTableCommand({
        TableName: this.name,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: names.map((name) => ({ AttributeName: name, AttributeType: 'S' })),
        KeySchema: names.map((name, place) => ({ AttributeName: name, KeyType: place === 0 ? 'HASH' : 'RANGE' })),
      }),
    );
  }

  keyOf(item: Item): Item {
    const { partition, sort } = this.key;
    return { [partition]: item[partition]!, ...(sort !== undefined && { [sort]: item[sort]! }) };
  }

  /** Operations must not overlap, because their costs would mix. */
  async measure<T>(operation: () => Promise<T>): Promise<{ value: T; cost: Cost }> {
    this.cost = { milliseconds: 0, rcu: 0, wcu: 0, bytes: 0 };
    this.outsideMilliseconds = 0;
    const start = performance.now();
    const value = await operation();
    this.cost.milliseconds = performance.now() - start - this.outsideMilliseconds;
    return { value, cost: this.cost };
  }

  async get(key: Item): Promise<Item | undefined> {
    const output = await this.client.send(
      new GetItemCommand({ TableName: this.name, Key: key, ConsistentRead: true, ReturnConsumedCapacity: 'TOTAL' }),
    );
    this.cost.rcu += output.ConsumedCapacity?.CapacityUnits ?? 0;
    this.cost.bytes += itemSizeBytes(key);
    if (output.Item === undefined) return undefined;
    const item = output.Item as Item;
    this.cost.bytes += itemSizeBytes(item);
    return item;
  }

  async getAttribute(key: Item, attribute: string): Promise<AttributeValue | undefined> {
    const output = await this.client.send(
      new GetItemCommand({
        TableName: this.name,
        Key: key,
        ConsistentRead: true,
        ProjectionExpression: '#0',
        ExpressionAttributeNames: { '#0': attribute },
      }),
    );
    this.cost.rcu += await this.wholeItemUnits(key);
    this.cost.bytes += itemSizeBytes(key) + Buffer.byteLength(attribute);
    const value = output.Item?.[attribute] as AttributeValue | undefined;
    if (value !== undefined) this.cost.bytes += itemSizeBytes({ [attribute]: value });
    return value;
  }

  /**
   * Reads the whole item, outside the measured time: DynamoDB bills for the whole item, but the engine only for the
   * projection.
   */
  private async wholeItemUnits(key: Item): Promise<number> {
    const start = performance.now();
    const { ConsumedCapacity } = await this.client.send(
      new GetItemCommand({ TableName: this.name, Key: key, ConsistentRead: true, ReturnConsumedCapacity: 'TOTAL' }),
    );
    this.outsideMilliseconds += performance.now() - start;
    return ConsumedCapacity?.CapacityUnits ?? 0;
  }

  /** `key` contains only the partition key. */
  async query(key: Item): Promise<Item[]> {
    const equal = equality(key);
    return this.pages(key, (start) =>
      this.client.send(
        new QueryCommand({ ...this.pageFrom(start), ...equal.bindings, KeyConditionExpression: equal.text }),
      ),
    );
  }

  async scan(values: Item): Promise<Item[]> {
    const equal = equality(values);
    return this.pages(values, (start) =>
      this.client.send(new ScanCommand({ ...this.pageFrom(start), ...equal.bindings, FilterExpression: equal.text })),
    );
  }

  private pageFrom(ExclusiveStartKey: Item | undefined) {
    return {
      TableName: this.name,
      ConsistentRead: true,
      ReturnConsumedCapacity: 'TOTAL' as const,
      ...(ExclusiveStartKey !== undefined && { ExclusiveStartKey }),
    };
  }

  private async pages(
    asked: Item,
    read: (start: Item | undefined) => Promise<QueryCommandOutput | ScanCommandOutput>,
  ): Promise<Item[]> {
    const items: Item[] = [];
    let start: Item | undefined;
    do {
      const output = await read(start);
      this.cost.rcu += output.ConsumedCapacity?.CapacityUnits ?? 0;
      this.cost.bytes += itemSizeBytes(asked);
      // Pushed one by one, because a page may have more items than a call takes arguments.
      for (const item of (output.Items ?? []) as Item[]) {
        this.cost.bytes += itemSizeBytes(item);
        items.push(item);
      }
      start = output.LastEvaluatedKey as Item | undefined;
    } while (start !== undefined);
    return items;
  }

  async put(item: Item): Promise<void> {
    const { ConsumedCapacity } = await this.client.send(
      new PutItemCommand({ TableName: this.name, Item: item, ReturnConsumedCapacity: 'TOTAL' }),
    );
    this.wrote(ConsumedCapacity, itemSizeBytes(item));
  }

  async delete(key: Item): Promise<void> {
    const { ConsumedCapacity } = await this.client.send(
      new DeleteItemCommand({ TableName: this.name, Key: key, ReturnConsumedCapacity: 'TOTAL' }),
    );
    this.wrote(ConsumedCapacity, itemSizeBytes(key));
  }

  /** Creates a missing item. Throws `ConditionalCheckFailedException` if `expect` isn't met. */
  async update(user: string, { set = {}, remove = [], expect = {} }: ItemUpdate): Promise<void> {
    const key = { user: { S: user } };
    const expression = new Expression();
    const sets = Object.entries(set).map(([name, value]) => `${expression.name(name)} = ${expression.value(value)}`);
    const removes = remove.map((name) => expression.name(name));
    const conditions = Object.entries(expect).map(([name, value]) =>
      value === undefined
        ? `attribute_not_exists(${expression.name(name)})`
        : `${expression.name(name)} = ${expression.value(value)}`,
    );
    const { ConsumedCapacity } = await this.client.send(
      new UpdateItemCommand({
        TableName: this.name,
        Key: key,
        UpdateExpression: [
          ...(sets.length > 0 ? [`SET ${sets.join(', ')}`] : []),
          ...(removes.length > 0 ? [`REMOVE ${removes.join(', ')}`] : []),
        ].join(' '),
        ...(conditions.length > 0 && { ConditionExpression: conditions.join(' AND ') }),
        ExpressionAttributeNames: expression.names,
        ...(Object.keys(expression.values).length > 0 && { ExpressionAttributeValues: expression.values }),
        ReturnConsumedCapacity: 'TOTAL',
      }),
    );
    this.wrote(ConsumedCapacity, itemSizeBytes(key) + expression.bytes);
  }

  async writeMany(puts: readonly Item[], deletes: readonly Item[]): Promise<void> {
    const requests: { PutRequest?: { Item: Item }; DeleteRequest?: { Key: Item } }[] = [
      ...puts.map((item) => ({ PutRequest: { Item: item } })),
      ...deletes.map((key) => ({ DeleteRequest: { Key: key } })),
    ];
    await pMap(
      chunksOf(requests, ({ PutRequest, DeleteRequest }) => itemSizeBytes(PutRequest?.Item ?? DeleteRequest!.Key)),
      async (batch) => {
        let left: Record<string, typeof batch> | undefined = { [this.name]: batch };
        while (left !== undefined && Object.keys(left).length > 0) {
          const output = await this.client.send(new BatchWriteItemCommand({ RequestItems: left }));
          left = output.UnprocessedItems as typeof left;
        }
      },
      { concurrency: BATCHES_AT_ONCE },
    );
  }

  private wrote(consumed: { CapacityUnits?: number } | undefined, bytes: number): void {
    this.cost.wcu += consumed?.CapacityUnits ?? 0;
    this.cost.bytes += bytes;
  }
}

function equality(values: Item) {
  const expression = new Expression();
  const parts = Object.entries(values).map(([name, value]) => `${expression.name(name)} = ${expression.value(value)}`);
  const { names, values: bound } = expression;
  return {
    text: parts.join(' AND '),
    bindings: { ExpressionAttributeNames: names, ExpressionAttributeValues: bound },
  };
}

class Expression {
  readonly names: Record<string, string> = {};
  readonly values: Item = {};
  bytes = 0;
  private readonly placeholders = new Map<string, string>();

  name(attribute: string): string {
    let placeholder = this.placeholders.get(attribute);
    if (placeholder === undefined) {
      placeholder = `#${this.placeholders.size}`;
      this.placeholders.set(attribute, placeholder);
      this.names[placeholder] = attribute;
      this.bytes += Buffer.byteLength(attribute);
    }
    return placeholder;
  }

  value(value: AttributeValue): string {
    const placeholder = `:${Object.keys(this.values).length}`;
    this.values[placeholder] = value;
    this.bytes += itemSizeBytes({ '': value });
    return placeholder;
  }
}
