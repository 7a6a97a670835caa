import { expect, it } from 'vitest';
import { createReader } from '../../../src/client/read/reader.ts';
import { defineGraph } from '../../../src/core/model/compile/define-graph.ts';
import { type NativeIndexNeed, nativeIndexes } from '../../../src/core/model/native-indexes.ts';
import { node } from '../../../src/core/model/schema.ts';
import { DynamoDBStore } from '../../../src/store/dynamodb.ts';
import { requireFit } from '../../../src/store/key-types.ts';
import type { TableCalls } from '../../../src/store/lean/calls.ts';
import { describeTable } from '../../../src/store/table-description.ts';
import { planTableUpdate } from '../../../src/store/table-update/plan.ts';

const graph = defineGraph({
  table: 'records',
  nodes: { USER: node({ search: { mail: { native: true }, name: {} } }) },
});

const readerThatIsTold = (message: string) => {
  const call = async (name: string): Promise<object> => {
    // The table has no registry.
    if (name === 'GetItem') return { ConsumedCapacity: { CapacityUnits: 0.5 } };
    throw Object.assign(new Error(message), { name: 'ValidationException', $fault: 'client' });
  };
  return createReader(graph, {
    store: new DynamoDBStore({ call, callOnce: call } as unknown as TableCalls, graph.table),
  });
};

it.each([
  ['The table does not have the specified index: mail-target', 'fatal', 'has no index', 'edgeloom migrate'],
  [
    'Query condition missed key schema element: gsi0pk',
    'fatal',
    'has other keys than the model needs',
    'Give the index another name in the model',
  ],
  [
    'Cannot read from backfilling global secondary index: mail-target',
    'retryable',
    'still builds the index',
    'Wait until edgeloom table describe',
  ],
])('DynamoDB says "%s": the reader tells what to do', async (message, kind, text, hint) => {
  const { search } = readerThatIsTold(message);
  for (const name of ['USER.mail', 'USER.name'] as const) {
    await expect(search(name).equals('ada')).rejects.toMatchObject({
      ...{ code: 'no-index', kind },
      message: expect.stringContaining(text),
      hint: expect.stringContaining(hint),
    });
  }
});

/** A client that describes a table of the model whose native index has this status. */
const clientOf = (status: string) => {
  const keys = (partition: string, sort: string) => [
    { AttributeName: partition, KeyType: 'HASH' },
    { AttributeName: sort, KeyType: 'RANGE' },
  ];
  const index = (IndexName: string, KeySchema: object, IndexStatus: string) => {
    return { IndexName, KeySchema, IndexStatus, Projection: { ProjectionType: 'ALL' } };
  };
  const Table = {
    KeySchema: keys('source', 'target'),
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
    GlobalSecondaryIndexes: [
      index('gsi0', keys('gsi0pk', 'gsi0sk'), 'ACTIVE'),
      index('mail-target', keys('mail', 'target'), status),
    ],
  };
  const TimeToLiveDescription = { TimeToLiveStatus: 'ENABLED', AttributeName: 'expiresAt' };
  return { send: async () => ({ Table, TimeToLiveDescription, Items: [] }) } as never;
};

it('names an index that has the keys of a native one under another name', async () => {
  const { Table, ...rest } = (await (
    clientOf('DELETING') as { send: () => Promise<{ Table: object }> }
  ).send()) as never as {
    Table: { GlobalSecondaryIndexes: { IndexName: string }[] };
  };
  const renamed = Table.GlobalSecondaryIndexes.map((index) =>
    index.IndexName === 'mail-target' ? { ...index, IndexName: 'byMail' } : index,
  );
  const client = { send: async () => ({ ...rest, Table: { ...Table, GlobalSecondaryIndexes: renamed } }) } as never;
  const { left } = await planTableUpdate(graph, { client });
  expect(left).toContainEqual(
    'the index byMail has the keys of mail-target, and readers ask that name alone. To read byMail instead, name it in the model (table.nativeIndexes); else delete byMail when nothing reads it',
  );
});

it.each<[string, object, string]>([
  ['all attributes', { project: 'ALL' }, 'and all attributes, which lacks some of them'],
  ['some attributes', { project: ['name', 'city'] }, 'and the attributes city, name, which lacks the attributes city'],
])('says what an index of %s lacks', async (_what, search, lacks) => {
  const graphOfIndex = defineGraph({
    table: 'records',
    nodes: { USER: node({ search: { mail: { native: true, ...search } } }) },
  });
  const [{ name }] = nativeIndexes(graphOfIndex) as [NativeIndexNeed];
  const { Table } = (await (clientOf('ACTIVE') as { send: () => Promise<{ Table: object }> }).send()) as {
    Table: { GlobalSecondaryIndexes: object[] };
  };
  const Projection = { ProjectionType: 'INCLUDE', NonKeyAttributes: ['name'] };
  const GlobalSecondaryIndexes = [{ ...Table.GlobalSecondaryIndexes[1], IndexName: name, Projection }];
  const client = { send: async () => ({ Table: { ...Table, GlobalSecondaryIndexes } }) } as never;
  const status = await describeTable(graphOfIndex, { client });
  expect(status.lacks).toContain(`the index ${name} with the keys mail and target ${lacks}`);
});

it.each([
  ['ACTIVE', [], [], []],
  ['UPDATING', [], [], []],
  ['CREATING', [], ['mail-target'], []],
  [
    'DELETING',
    ['the index mail-target with the keys mail and target'],
    [],
    [{ kind: 'native-index', index: 'mail-target' }],
  ],
])('an index that is %s', async (state, lacks, filling, steps) => {
  const client = clientOf(state);
  const status = await describeTable(graph, { client });
  expect(status).toMatchObject({ lacks, filling });
  // A projector goes on; a migration adds it, or waits.
  requireFit(status);
  expect((await planTableUpdate(graph, { client })).steps).toEqual(steps);
});
