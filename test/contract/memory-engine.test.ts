import {
  type AttributeValue,
  BatchExecuteStatementCommand,
  BatchGetItemCommand,
  type BatchStatementRequest,
  BatchWriteItemCommand,
  CreateTableCommand,
  DeleteItemCommand,
  type DynamoDBClient,
  ExecuteStatementCommand,
  type ExecuteStatementCommandInput,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactGetItemsCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { Tables } from '../../packages/local/memory/definitions.ts';
import { memoryCalls } from '../../packages/local/memory/server.ts';
import { Transactions } from '../../packages/local/memory/writes.ts';
import { createClient } from '../../src/store/client.ts';
import { testEndpoint } from '../support/engine.ts';
import { uniqueTableName } from '../support/table.ts';
import { ENGINE, memoryEngine } from './stores.ts';

/**
 * Calls that Edgeloom does not make, and programs in other languages may: the engine in memory answers them as the engine of the run.
 * DynamoDB Local, which AWS makes, is the judge; where dynoxide differs from it, the call says so.
 */

const TableName = uniqueTableName();
type Send = (client: DynamoDBClient) => Promise<unknown>;

let clients: DynamoDBClient[];

beforeAll(async () => {
  clients = [testEndpoint(), await memoryEngine()].map((endpoint) => createClient({ endpoint, lean: false }));
  for (const client of clients) {
    await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [
          { AttributeName: 'p', AttributeType: 'S' },
          { AttributeName: 's', AttributeType: 'N' },
          { AttributeName: 'g', AttributeType: 'S' },
        ],
        KeySchema: [
          { AttributeName: 'p', KeyType: 'HASH' },
          { AttributeName: 's', KeyType: 'RANGE' },
        ],
        GlobalSecondaryIndexes: [
          {
            IndexName: 'byG',
            KeySchema: [{ AttributeName: 'g', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['n'] },
          },
        ],
      }),
    );
  }
});

const KEY = { p: { S: 'a' }, s: { N: '1' } };
const ITEM = {
  ...KEY,
  g: { S: 'x' },
  n: { N: '7' },
  text: { S: 'hello' },
  bytes: { B: Uint8Array.of(1, 2, 3) },
  list: { L: [{ N: '1' }, { S: 'two' }, { M: { deep: { BOOL: true } } }] },
  map: { M: { one: { N: '1' }, 'dotted.name': { S: 'd' } } },
  names: { SS: ['b', 'a'] },
  numbers: { NS: ['1', '2.50', '10'] },
  none: { NULL: true },
};

function fields(value: unknown): unknown {
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('hex')}`;
  if (Array.isArray(value)) {
    const all = value.map(fields);
    // Sets have no order. Lists of values keep theirs: their elements are objects.
    return all.every((entry) => typeof entry === 'string') ? [...all].sort() : all;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([name, entry]) => entry !== undefined && name !== '$metadata');
  return Object.fromEntries(entries.map(([name, entry]) => [name, fields(entry)]).sort());
}

/** What a call answers, or the name of its error and what it says of items. */
async function answerOf(client: DynamoDBClient, send: Send): Promise<unknown> {
  try {
    return fields(await send(client));
  } catch (error) {
    const { name, Item, CancellationReasons } = error as Error & {
      Item?: unknown;
      CancellationReasons?: { Code: string }[];
    };
    return fields({ name, Item, codes: CancellationReasons?.map(({ Code }) => ({ Code })) });
  }
}

/** What dynoxide answers in another way than DynamoDB Local. */
const DYNOXIDE_DIFFERS: readonly string[] = [
  // It fills a list with nulls up to a place behind its end.
  'places in maps and lists',
  // It removes elements one after the other, so that the second number names another one.
  'elements that are removed',
  // It takes the beginning of a number for a text.
  'p = :p AND begins_with(s, :one)',
  // It adds the key to what a projection names.
  'a projection in a transaction',
  // It takes SET and REMOVE once, each with a list.
  'statements: a keyword for each',
  'statements: a list of removals',
  // It does not look at what an update names, nor at a name that comes twice.
  'statements: one attribute set and removed',
  'statements: a part of the key',
  'statements: an attribute twice',
  // It answers for the statement, not for the call.
  'statements: a value that no item may have',
  // It leaves the empty list of items out.
  'a statement that is told without items',
];

/** Asks both engines, and expects one answer; gives it. @param what names a call that dynoxide may answer in another way. */
async function both(send: Send, what = ''): Promise<unknown> {
  const [expected, given] = await Promise.all(clients.map((client) => answerOf(client, send)));
  if (!(ENGINE === 'dynoxide' && DYNOXIDE_DIFFERS.includes(what))) expect(given).toEqual(expected);
  return given;
}

async function reset(): Promise<void> {
  await both((client) => client.send(new PutItemCommand({ TableName, Item: ITEM })));
}

function update(input: Partial<UpdateItemCommandInput>): Send {
  return (client) => client.send(new UpdateItemCommand({ TableName, Key: KEY, ReturnValues: 'ALL_NEW', ...input }));
}

const NAMES: Readonly<Record<string, string>> = {
  ...{
    '#fresh': 'fresh',
    '#names': 'names',
    '#text': 'text',
    '#list': 'list',
    '#map': 'map',
    '#dotted': 'dotted.name',
  },
};
const VALUES: Readonly<Record<string, AttributeValue>> = {
  ...{ ':tiny': { N: '1e-37' }, ':half': { N: '0.5' }, ':one': { N: '1' }, ':two': { N: '2' }, ':three': { N: '3' } },
  ...{ ':five': { N: '5' }, ':seven': { N: '7.0' }, ':ten': { N: '10' }, ':numbers': { NS: ['2.5', '3'] } },
  ...{ ':p': { S: 'a' }, ':a': { S: 'a' }, ':d': { S: 'd' }, ':he': { S: 'he' }, ':ell': { S: 'ell' } },
  ...{ ':S': { S: 'S' }, ':N': { S: 'N' }, ':true': { BOOL: true }, ':list': { L: [{ S: 'end' }] } },
  ...{ ':q': { SS: ['q'] }, ':az': { SS: ['a', 'z'] }, ':ab': { SS: ['a', 'b'] } },
};

/** The names and values that expressions use. */
function usedBy(expressions: string) {
  function used<T>(all: Readonly<Record<string, T>>): Record<string, T> | undefined {
    const entries = Object.entries(all).filter(([token]) => new RegExp(`${token}\\b`).test(expressions));
    return entries.length > 0 ? Object.fromEntries(entries) : undefined;
  }
  return { ExpressionAttributeNames: used(NAMES), ExpressionAttributeValues: used(VALUES) };
}

describe(`the engine in memory answers as ${ENGINE}: updates`, () => {
  it.each<[string, string | undefined, Partial<UpdateItemCommandInput>?]>([
    ['a sum', 'SET n = n + :half'],
    ['a difference', 'SET n = n - :ten'],
    [
      'if_not_exists of what is there and what is not',
      'SET n = if_not_exists(n, :three), fresh = if_not_exists(fresh, :three) + :three',
    ],
    ['list_append', 'SET #list = list_append(#list, :list)'],
    ['places in maps and lists', 'SET #map.two = :three, #list[0] = :three, #list[9] = :three REMOVE #map.one'],
    ['elements that are removed', 'REMOVE #list[0], #list[1]'],
    ['sets', 'ADD #fresh :q, numbers :numbers DELETE #names :az'],
    ['a set that becomes empty', 'DELETE #names :ab'],
    ['what is not there', 'SET a = absent'],
    ['a sum with a text', 'SET n = #text + :one'],
    ['ADD to a text', 'ADD #text :one'],
    ['a place in what is no map', 'SET n.x = :one'],
    ['two actions on one place', 'SET n = :one REMOVE n'],
    ['a key', 'SET s = :one'],
    ['a value that nothing uses', 'SET n = :one', { ExpressionAttributeValues: VALUES }],
    ['a name that is not given', 'SET #unknown = :one'],
    ['what cannot be parsed', 'SET n = = :one'],
    ['more than 38 digits', 'SET n = n + :tiny'],
    ['no action at all', undefined],
    ['the values before', 'SET n = :one, fresh = :one', { ReturnValues: 'UPDATED_OLD' }],
    ['the values after', 'SET n = :one, fresh = :one', { ReturnValues: 'UPDATED_NEW' }],
    ['an item that is not there', 'SET n = :one', { Key: { p: { S: 'new' }, s: { N: '-1.50' } } }],
  ])('%s', async (name, UpdateExpression, more) => {
    await reset();
    const input = { UpdateExpression, ...usedBy(UpdateExpression ?? ''), ...more };
    await both(update(input), name);
    await both((client) => client.send(new GetItemCommand({ TableName, Key: KEY, ConsistentRead: true })), name);
  });
});

describe(`the engine in memory answers as ${ENGINE}: conditions`, () => {
  it.each([
    'attribute_exists(n) AND NOT attribute_exists(absent)',
    'attribute_not_exists(n) OR n = :seven',
    'attribute_not_exists(n)',
    'n <> :seven',
    'absent <> :seven',
    'n BETWEEN :one AND :seven',
    'n IN (:one, :seven)',
    'n > :one AND (n < :one OR n >= :seven)',
    'NOT n = :one AND n = :seven',
    'begins_with(#text, :he)',
    'begins_with(n, :he)',
    'contains(#text, :ell)',
    'contains(names, :a)',
    'contains(#names, :a)',
    'contains(#list, :one)',
    'size(#text) = :five',
    'size(#list) > :one',
    'size(#map) > :one',
    'size(numbers) > :one',
    'attribute_type(#text, :S)',
    'attribute_type(#text, :N)',
    '#map.#dotted = :d',
    '#list[2].deep = :true',
    '#list[7] = :one',
    '#text > :one',
    'n',
    'n = :seven AND',
    'nothing(n)',
  ])('%s', async (ConditionExpression) => {
    await reset();
    const input = {
      ...{ TableName, Key: KEY, ConditionExpression, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const },
      ...usedBy(ConditionExpression),
    };
    await both((client) => client.send(new DeleteItemCommand({ ...input, ReturnValues: 'ALL_OLD' })));
  });
});

describe(`the engine in memory answers as ${ENGINE}: reads`, () => {
  beforeAll(async () => {
    await reset();
    for (let i = 2; i < 12; i++) {
      const Item = {
        p: { S: 'a' },
        s: { N: String(i / 2) },
        n: { N: String(i % 3) },
        ...(i % 2 === 0 && { g: { S: 'x' } }),
        big: { S: 'x'.repeat(600) },
      };
      await both((client) => client.send(new PutItemCommand({ TableName, Item })));
    }
  });

  it.each([
    ['p = :p', {}],
    ['p = :p AND s > :two', {}],
    ['p = :p AND s <= :two', { ScanIndexForward: false }],
    ['p = :p AND s BETWEEN :one AND :two', {}],
    ['p = :p AND s = :one', { Select: 'COUNT' as const }],
    ['s > :one AND p = :p', { Limit: 3 }],
    ['p = :p', { Limit: 2, ScanIndexForward: false, ReturnConsumedCapacity: 'TOTAL' as const }],
    ['p = :p', { FilterExpression: 'n = :one', ProjectionExpression: 's, #list[2].deep, #list[0]' }],
    ['p = :p AND begins_with(s, :one)', {}],
    ['p = :p AND n = :one', {}],
    ['s = :one', {}],
  ])('a query: %s %j', async (KeyConditionExpression, more) => {
    const query = new QueryCommand({
      ...{ TableName, KeyConditionExpression, ConsistentRead: true, ...more },
      ...usedBy(`${KeyConditionExpression} ${JSON.stringify(more)}`),
    });
    await both((client) => client.send(query), KeyConditionExpression);
  });

  it('a query of an index that holds some attributes, page by page, and its capacity', async () => {
    const found: unknown[] = [];
    for (const client of clients) {
      const items: unknown[] = [];
      let ExclusiveStartKey: Record<string, never> | undefined;
      do {
        const page = await client.send(
          new QueryCommand({
            ...{ TableName, IndexName: 'byG', KeyConditionExpression: 'g = :x', Limit: 2, ExclusiveStartKey },
            ...{ ExpressionAttributeValues: { ':x': { S: 'x' } }, ReturnConsumedCapacity: 'INDEXES' },
          }),
        );
        items.push(...(page.Items ?? []).map((item) => ({ text: JSON.stringify(fields(item)) })));
        ExclusiveStartKey = page.LastEvaluatedKey as Record<string, never> | undefined;
      } while (ExclusiveStartKey !== undefined);
      found.push(items.map((item) => (item as { text: string }).text).sort());
    }
    expect(found[1]).toEqual(found[0]);
    expect((found[1] as string[]).length).toBe(5);
  });

  it('scans of all segments together, batches and transactions of reads', async () => {
    const all = await Promise.all(
      clients.map(async (client) => {
        const pages = await Promise.all(
          [0, 1, 2].map((Segment) => client.send(new ScanCommand({ TableName, Segment, TotalSegments: 3 }))),
        );
        return pages.flatMap(({ Items = [] }) => Items.map((item) => JSON.stringify(fields(item)))).sort();
      }),
    );
    expect(all[1]).toEqual(all[0]);
    const absent = { p: { S: 'none' }, s: { N: '1' } };
    await both((client) =>
      client.send(new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys: [KEY, absent] } } })),
    );
    await both((client) =>
      client.send(new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys: [KEY, KEY] } } })),
    );
    const reads = new TransactGetItemsCommand({
      TransactItems: [{ Get: { TableName, Key: KEY, ProjectionExpression: 'n' } }, { Get: { TableName, Key: absent } }],
    });
    await both((client) => client.send(reads), 'a projection in a transaction');
  });

  it('batches and transactions of writes, with the reasons why one is cancelled', async () => {
    const key = (text: string) => ({ p: { S: text }, s: { N: '1' } });
    await both((client) =>
      client.send(
        new BatchWriteItemCommand({
          RequestItems: { [TableName]: [{ PutRequest: { Item: key('w') } }, { DeleteRequest: { Key: key('v') } }] },
        }),
      ),
    );
    const cancelled = await both((client) =>
      client.send(
        new TransactWriteItemsCommand({
          TransactItems: [
            { Put: { TableName, Item: key('t') } },
            { ConditionCheck: { TableName, Key: key('u'), ConditionExpression: 'attribute_exists(p)' } },
            {
              Delete: {
                TableName,
                Key: key('w'),
                ConditionExpression: 'attribute_not_exists(p)',
                ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
              },
            },
          ],
        }),
      ),
    );
    expect(cancelled).toMatchObject({
      name: 'TransactionCanceledException',
      codes: [{ Code: 'None' }, { Code: 'ConditionalCheckFailed' }, { Code: 'ConditionalCheckFailed' }],
    });
    await both((client) => client.send(new GetItemCommand({ TableName, Key: key('t') })));
    await both((client) =>
      client.send(
        new TransactWriteItemsCommand({
          TransactItems: [{ Put: { TableName, Item: key('t') } }, { Delete: { TableName, Key: key('t') } }],
        }),
      ),
    );
  });
});

describe(`the engine in memory answers as ${ENGINE}: statements`, () => {
  const TABLE = `"${TableName}"`;
  const text = (S: string) => ({ S });
  const number = (N: string) => ({ N });
  const insert = (s: string, more: Partial<BatchStatementRequest> = {}): BatchStatementRequest => ({
    Statement: `INSERT INTO ${TABLE} VALUE {'p': ?, 's': ?, 'n': ?}`,
    Parameters: [text('st'), number(s), number('1')],
    ...more,
  });
  const update = (s: string, clauses: string, given: AttributeValue[], n = '1'): BatchStatementRequest => ({
    Statement: `UPDATE ${TABLE} ${clauses} WHERE "p" = ? AND "s" = ? AND "n" = ?`,
    Parameters: [...given, text('st'), number(s), number(n)],
  });
  const run =
    (...Statements: BatchStatementRequest[]): Send =>
    async (client) => {
      const answer = await client.send(new BatchExecuteStatementCommand({ Statements }));
      // Not the words of an error, which name places in the statement.
      return answer.Responses?.map(({ Error: error, TableName: table }) => error?.Code ?? table);
    };
  const stored = (s: string): Promise<unknown> =>
    both((client) => client.send(new GetItemCommand({ TableName, Key: { p: text('st'), s: number(s) } })));

  it('that insert and update, each for itself', async () => {
    await both(run(insert('1'), insert('2')));
    const answer = await both(
      run(
        insert('1'),
        insert('3'),
        update('2', 'SET "n" = ?', [number('2')]),
        update('4', 'SET "n" = ?', [number('2')]),
      ),
      'statements in any order',
    );
    if (ENGINE !== 'dynoxide')
      expect(answer).toEqual(['ConditionalCheckFailed', 'DuplicateItem', TableName, TableName]);
    for (const s of ['1', '2', '3', '4']) await stored(s);
  });

  it.each<[string, string[], string]>([
    ['a list of assignments', ['a', 'b'], 'SET "a" = ?, "b" = ?'],
    ['a keyword for each', ['a', 'b'], 'SET "a" = ? SET "b" = ? REMOVE "never" REMOVE "text"'],
    ['names with quotes', ['a'], 'SET "say ""so""" = ?'],
    ['a list of removals', [], 'REMOVE "text", "never"'],
    ['one attribute twice', ['a', 'b'], 'SET "a" = ? SET "a" = ?'],
    ['one attribute set and removed', ['a'], 'SET "a" = ? REMOVE "a"'],
    ['a part of the key', ['a'], 'SET "p" = ?'],
    ['a word that is no clause', ['a'], 'PUT "a" = ?'],
  ])('that change by %s', async (what, values, clauses) => {
    const Item = { p: text('st'), s: number('9'), n: number('1'), text: text('x') };
    await both((client) => client.send(new PutItemCommand({ TableName, Item })));
    await both(run(update('9', clauses, values.map(text))), `statements: ${what}`);
    if (ENGINE !== 'dynoxide') await stored('9');
  });

  it.each<[string, BatchStatementRequest[]]>([
    ['no statement', []],
    ['more than 25', Array.from({ length: 26 }, (_, i) => insert(String(100 + i)))],
    ['one item twice', [insert('50'), insert('50')]],
    ['a value that no item may have', [insert('51', { Parameters: [text('st'), number('51'), { SS: [] }] })]],
    ['a parameter too few', [insert('52', { Parameters: [text('st'), number('52')] })]],
    ['an attribute twice', [insert('53', { Statement: `INSERT INTO ${TABLE} VALUE {'p': ?, 's': ?, 's': ?}` })]],
    [
      'a condition without the key',
      [{ Statement: `UPDATE ${TABLE} SET "n" = ? WHERE "p" = ?`, Parameters: [number('1'), text('st')] }],
    ],
    ['a table that is not there', [{ Statement: `INSERT INTO "nowhere" VALUE {'p': ?}`, Parameters: [text('a')] }]],
  ])('and refuses %s', async (what, statements) => {
    await both(run(...statements), `statements: ${what}`);
  });

  it('and returns the item that failed a condition', async () => {
    // AWS does, by its reference; the other engines do not.
    const memory = clients[1]!;
    await both(run(insert('60'), insert('61')));
    const asked = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;
    const Statements = [{ ...update('60', 'SET "n" = ?', [number('9')], '5'), ...asked }];
    const { Responses } = await memory.send(new BatchExecuteStatementCommand({ Statements }));
    const Item = { p: text('st'), s: number('60'), n: number('1') };
    expect(Responses?.[0]?.Error).toMatchObject({ Code: 'ConditionalCheckFailed', Item });
  });

  it('and charges what a condition refuses, where others succeed', async () => {
    const memory = clients[1]!;
    const units = async (...Statements: BatchStatementRequest[]): Promise<number | undefined> => {
      const input = { Statements, ReturnConsumedCapacity: 'TOTAL' } as const;
      return (await memory.send(new BatchExecuteStatementCommand(input))).ConsumedCapacity?.[0]?.CapacityUnits;
    };
    expect(await units(insert('80'), insert('81'))).toBe(2);
    expect(await units(insert('80'), insert('82'))).toBe(2);
    expect(await units(insert('80'))).toBeUndefined();
  });

  it('one in a call', async () => {
    const one =
      (given: BatchStatementRequest): Send =>
      (client) =>
        client.send(new ExecuteStatementCommand(given as ExecuteStatementCommandInput));
    await both(one(insert('70')), 'a statement that is told without items');
    // DynamoDB Local leaves out a part of the name that AWS documents.
    await expect(one(insert('70'))(clients[1]!)).rejects.toMatchObject({ name: 'DuplicateItemException' });
    await both(one(update('70', 'SET "n" = ?', [number('2')])), 'a statement that is told without items');
    await both(one(update('70', 'SET "n" = ?', [number('3')])));
    await stored('70');
  });
});

it('says which parameter it lacks, instead of passing over it', async () => {
  const [, client] = clients;
  await expect(
    client!.send(new DeleteItemCommand({ TableName, Key: KEY, Expected: { n: { Exists: false } } })),
  ).rejects.toThrow('Expected is not supported by the engine in memory');
});

describe('the engine in memory', () => {
  const SCHEMA = {
    TableName: 'tab',
    AttributeDefinitions: [{ AttributeName: 'p', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'p', KeyType: 'HASH' }],
    StreamSpecification: { StreamEnabled: true },
  };
  const Key = { p: { S: 'a' } };
  const numbers = (...all: number[]) => ({ L: all.map((one) => ({ N: String(one) })) });
  const call = (calls: ReturnType<typeof memoryCalls>, name: string, input: Record<string, unknown>): unknown =>
    calls[`${name.endsWith('Records') ? 'DynamoDBStreams' : 'DynamoDB'}_20120810.${name}`]!(input);
  const opened = (Item: Record<string, unknown> = Key) => {
    const calls = memoryCalls();
    call(calls, 'CreateTable', SCHEMA);
    call(calls, 'PutItem', { TableName: 'tab', Item });
    return calls;
  };

  it.each<[string, object, object]>([
    ['REMOVE l[0], x, l[1]', { l: numbers(0, 1, 2, 3), x: { S: 'x' } }, { l: numbers(2, 3) }],
    ['REMOVE l[0], l[1][0]', { l: { L: [{ N: '0' }, numbers(1, 2)] } }, { l: { L: [numbers(2)] } }],
    ['REMOVE l[0] ADD l[1] :n', { l: numbers(0, 1, 2) }, { l: numbers(6, 2) }],
  ])('removes the elements that the stored list has at these places: %s', (UpdateExpression, before, after) => {
    const calls = opened({ ...Key, ...before });
    const values = UpdateExpression.includes(':n') && { ExpressionAttributeValues: { ':n': { N: '5' } } };
    call(calls, 'UpdateItem', { TableName: 'tab', Key, UpdateExpression, ...values });
    expect(call(calls, 'GetItem', { TableName: 'tab', Key })).toMatchObject({ Item: { ...Key, ...after } });
    expect(call(calls, 'GetItem', { TableName: 'tab', Key })).not.toMatchObject({ Item: { x: {} } });
  });

  it('answers a repeated transaction, whatever was written since', () => {
    const calls = opened({ ...Key, m: { M: {} } });
    const Update = {
      ...{ TableName: 'tab', Key, UpdateExpression: 'SET m.a = :one' },
      ExpressionAttributeValues: { ':one': { N: '1' } },
    };
    const input = { TransactItems: [{ Update }], ClientRequestToken: 'once', ReturnConsumedCapacity: 'TOTAL' };
    call(calls, 'TransactWriteItems', input);
    call(calls, 'UpdateItem', { TableName: 'tab', Key, UpdateExpression: 'REMOVE m' });
    expect(call(calls, 'TransactWriteItems', input)).toMatchObject({ ConsumedCapacity: [{ CapacityUnits: 2 }] });
    expect(call(calls, 'GetItem', { TableName: 'tab', Key })).toMatchObject({ Item: Key });
  });

  it('forgets the tokens of transactions after ten minutes', () => {
    vi.useFakeTimers();
    try {
      const tables = new Tables();
      tables.create(SCHEMA);
      const transactions = new Transactions(tables);
      const put = (ClientRequestToken: string) =>
        transactions.write({ TransactItems: [{ Put: { TableName: 'tab', Item: Key } }], ClientRequestToken });
      put('first');
      vi.advanceTimersByTime(300_000);
      put('second');
      vi.advanceTimersByTime(300_001);
      put('third');
      expect([...transactions['tokens'].keys()]).toEqual(['second', 'third']);
    } finally {
      vi.useRealTimers();
    }
  });

  const PUT = { PutRequest: { Item: Key } };
  it.each<[string, string, Record<string, unknown>]>([
    ['a batch of writes with an empty list', 'BatchWriteItem', { RequestItems: { tab: [PUT], u: [] } }],
    ['a batch of writes without a list', 'BatchWriteItem', { RequestItems: { tab: [PUT], u: null } }],
    [
      'a batch of reads with an empty list',
      'BatchGetItem',
      { RequestItems: { tab: { Keys: [Key] }, u: { Keys: [] } } },
    ],
    ['a batch of reads without keys', 'BatchGetItem', { RequestItems: { tab: {} } }],
    ['a transaction of reads without one', 'TransactGetItems', { TransactItems: [{}] }],
    ['an iterator that is nothing', 'GetRecords', { ShardIterator: Buffer.from('null').toString('base64url') }],
    ...['', 'x'.repeat(37)].map((ClientRequestToken): [string, string, Record<string, unknown>] => [
      `a token of ${ClientRequestToken.length} characters`,
      'TransactWriteItems',
      { TransactItems: [{ Put: { TableName: 'tab', Item: Key } }], ClientRequestToken },
    ]),
  ])('refuses %s', (_what, name, input) => {
    expect(() => call(opened(), name, input)).toThrow(expect.objectContaining({ type: 'ValidationException' }));
  });
});
