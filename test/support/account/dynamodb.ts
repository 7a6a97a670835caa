import {
  CreateTableCommand,
  DeleteItemCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  PutItemCommand,
  paginateScan,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { createClient } from '../../../src/store/client.ts';
import type { Account, Thing } from './account.ts';
import type { Input, Operation } from './stand-in.ts';

const TABLE = 'AWS::DynamoDB::Table';
/** The label that templates resolve a table's stream to, for CloudFormation keeps an attribute as it was when the table was made. */
const FIRST_LABEL = '2026-01-01T00:00:00.000';

/** The tables of the account, on the engine. */
export class DynamoDBTables {
  readonly #client: DynamoDBClient;

  /** @param onStreamEnd called with a table's name when its stream is switched off: who follows it gets nothing any more. */
  constructor(
    endpoint: string,
    private readonly onStreamEnd: (table: string) => Promise<void>,
  ) {
    this.#client = createClient({ endpoint });
  }

  async make({ name, properties }: Thing): Promise<void> {
    if ((await this.#describe(name)) !== undefined) return;
    const { KeySchema, AttributeDefinitions, BillingMode, StreamSpecification, TimeToLiveSpecification } = properties;
    const indexes = (properties['GlobalSecondaryIndexes'] ?? []) as PlainIndex[];
    await this.#client.send(
      new CreateTableCommand({
        ...{ TableName: name, KeySchema, AttributeDefinitions, BillingMode },
        ...(indexes.length > 0 && { GlobalSecondaryIndexes: indexes.map(plainIndex) }),
        ...(StreamSpecification && { StreamSpecification: { StreamEnabled: true, ...StreamSpecification } }),
      }),
    );
    await waitUntilTableExists({ client: this.#client, maxWaitTime: 60 }, { TableName: name });
    if (TimeToLiveSpecification === undefined) return;
    await this.#client.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification }));
  }

  /** Makes and deletes indexes. */
  async change({ name, properties }: Thing, before: Thing['properties']): Promise<void> {
    const [old, now] = [before, properties].map((one) => (one['GlobalSecondaryIndexes'] ?? []) as PlainIndex[]);
    const has = (list: typeof old, expected: string) => list!.some(({ IndexName }) => IndexName === expected);
    const updates = [
      ...now!.filter(({ IndexName }) => !has(old, IndexName)).map((index) => ({ Create: plainIndex(index) })),
      ...old!.filter(({ IndexName }) => !has(now, IndexName)).map(({ IndexName }) => ({ Delete: { IndexName } })),
    ];
    if (updates.length === 0) return;
    await this.#client.send(
      new UpdateTableCommand({
        ...{ TableName: name, AttributeDefinitions: properties['AttributeDefinitions'] },
        GlobalSecondaryIndexUpdates: updates as never,
      }),
    );
  }

  async delete({ name }: Thing): Promise<void> {
    await this.#client.send(new DeleteTableCommand({ TableName: name }));
  }

  /** The ARN of a table's stream that a mapping names; undefined where the table has another one by now. */
  async currentStream(named: string): Promise<string | undefined> {
    const [, name, label] = /:table\/([^/]+)\/stream\/(.+)$/.exec(named)!;
    const table = await this.#describe(name!);
    const isFirst = label === FIRST_LABEL && !this.#switched.has(name!);
    return isFirst || table?.LatestStreamLabel === label ? table?.LatestStreamArn : undefined;
  }

  /** Tables whose stream was switched off once. */
  readonly #switched = new Set<string>();

  close(): void {
    this.#client.destroy();
  }

  /** The commands of `aws dynamodb`. */
  operations(account: Account): Record<string, Operation> {
    const found = (name: string): Thing => {
      const thing = account.find(TABLE, name);
      if (thing === undefined) throw new Error(`ResourceNotFoundException: Table ${name} not found`);
      return thing;
    };
    return {
      'dynamodb wait': async () => null,
      'dynamodb update-continuous-backups': async ({ TableName }) => void found(TableName),
      'dynamodb describe-table': async ({ TableName }) => ({ Table: await this.#describe(found(TableName).name) }),
      'dynamodb delete-table': async ({ TableName }) => await account.delete(found(TableName)),
      'dynamodb update-time-to-live': async (input) =>
        await this.#client.send(new UpdateTimeToLiveCommand(input as never)),
      'dynamodb delete-item': async (input) => void (await this.#client.send(new DeleteItemCommand(input as never))),
      'dynamodb put-item': async (input) => void (await this.#client.send(new PutItemCommand(input as never))),
      'dynamodb scan': async ({ TableName, MaxItems }) => {
        const pages = paginateScan({ client: this.#client }, { TableName, Limit: Number(MaxItems) });
        const { value } = await pages.next();
        return { Items: value?.Items ?? [] };
      },
      'dynamodb restore-table-to-point-in-time': async (input) => await this.#restore(account, input),
      'dynamodb update-table': async ({ DeletionProtectionEnabled, ...input }) => {
        const thing = found(input['TableName']!);
        if (DeletionProtectionEnabled !== undefined) {
          thing.properties = { ...thing.properties, DeletionProtectionEnabled };
          return;
        }
        if ((input['StreamSpecification'] as unknown as { StreamEnabled: boolean })?.StreamEnabled === false) {
          this.#switched.add(thing.name);
          await this.onStreamEnd(thing.name);
        }
        await this.#client.send(new UpdateTableCommand(input as never));
      },
    };
  }

  /** A restored table has items, keys and indexes, and nothing else. */
  async #restore(account: Account, { SourceTableName, TargetTableName }: Input): Promise<void> {
    const source = account.find(TABLE, SourceTableName);
    if (source === undefined) throw new Error(`TableNotFoundException: ${SourceTableName}`);
    const { KeySchema, AttributeDefinitions, BillingMode, GlobalSecondaryIndexes } = source.properties;
    const properties = { KeySchema, AttributeDefinitions, BillingMode, GlobalSecondaryIndexes };
    await account.make(TABLE, TargetTableName, properties, false);
    for await (const { Items = [] } of paginateScan({ client: this.#client }, { TableName: SourceTableName })) {
      for (const Item of Items) await this.#client.send(new PutItemCommand({ TableName: TargetTableName, Item }));
    }
  }

  async #describe(TableName: string) {
    try {
      return (await this.#client.send(new DescribeTableCommand({ TableName }))).Table;
    } catch (error) {
      if ((error as Error).name === 'ResourceNotFoundException') return undefined;
      throw error;
    }
  }
}

/** What an engine takes of an index. */
interface PlainIndex {
  IndexName: string;
  KeySchema: never;
  Projection: never;
}

function plainIndex({ IndexName, KeySchema, Projection }: PlainIndex): PlainIndex {
  return { IndexName, KeySchema, Projection };
}
