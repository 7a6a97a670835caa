import { CreateTableCommand, DescribeTableCommand, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, describe, expect, it } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { nativeIndexes } from '../../src/core/model/native-indexes.ts';
import { edge, node, number } from '../../src/core/model/schema.ts';
import { createClient } from '../../src/store/client.ts';
import { tableDefinition } from '../../src/store/definition/table-definition.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { createTable, describeTable, hasTtl } from '../../src/store/table-description.ts';
import { planTableUpdate } from '../../src/store/table-update/plan.ts';
import { updateTable } from '../../src/store/table-update/update.ts';
import { check } from '../../src/trust/check/check.ts';
import { testEndpoint } from '../support/engine.ts';
import { uniqueTableName } from '../support/table.ts';

const client = createClient({ endpoint: testEndpoint() });
afterAll(() => client.destroy());

function modelOf(table: string | { name: string; partitionKey?: string; ttl?: string }): CompiledModel {
  return defineGraph({
    table,
    nodes: { USER: node({ view: 'ALL', search: { name: {} } }) },
    edges: { KNOWS: edge({ from: 'USER', to: 'USER', inbound: { orders: { gsi0: 'since', gsi1: 'until' } } }) },
  }) as CompiledModel;
}

/** A table with data and nothing else, as one that existed before. */
async function bareTable() {
  const graph = modelOf(uniqueTableName());
  const { TableName, KeySchema, BillingMode, AttributeDefinitions = [] } = tableDefinition(graph);
  const keys = AttributeDefinitions.filter(({ AttributeName: name }) =>
    KeySchema!.some((key) => key.AttributeName === name),
  );
  await client.send(new CreateTableCommand({ TableName, KeySchema, BillingMode, AttributeDefinitions: keys }));
  const store = new DynamoDBStore(client, graph.table);
  for (const name of ['ann', 'bob']) {
    await store.put({ source: { S: `USER-${name}` }, target: { S: `USER-${name}` }, name: { S: name } });
  }
  const edgeItem = { source: { S: 'USER-ann' }, target: { S: 'KNOWS-USER-bob' } };
  await store.put({ ...edgeItem, since: { S: '2020' }, until: { S: '2030' } });
  return { graph, store };
}

describe('bringing a table to what the model needs', () => {
  it('adds the stream, both indexes and TTL to a table with data, and a rebuild then fills them', async () => {
    const { graph, store } = await bareTable();
    const plan = await planTableUpdate(graph, { client, ttl: 'expiresAt' });
    expect(plan.steps).toEqual([
      { kind: 'stream' },
      { kind: 'index', index: 'gsi0' },
      { kind: 'index', index: 'gsi1' },
      { kind: 'ttl' },
    ]);
    expect((await describeTable(graph, { client })).lacks).toHaveLength(3);
    const told: string[] = [];
    await updateTable(graph, { client, ttl: 'expiresAt', onProgress: (step) => told.push(step) });
    expect([...new Set(told)].filter((text) => plan.texts.includes(text))).toEqual(plan.texts);
    const status = await describeTable(graph, { client });
    expect(status).toMatchObject({ lacks: [], indexes: ['gsi0', 'gsi1'], streamArn: expect.any(String) });
    expect(await hasTtl(client, graph)).toBe(true);
    await check(graph, { store, mode: 'rebuild' });
    const reader = createReader(graph, { store });
    const found = await reader.inbound('USER-bob', 'KNOWS' as never, { order: 'gsi1' as never });
    expect(found.items).toMatchObject([{ source: 'USER-ann' }]);
    expect((await planTableUpdate(graph, { client })).steps).toEqual([]);
  });

  it('switches TTL on for a table with items only where it is named, and for an empty one by itself', async () => {
    const { graph, store } = await bareTable();
    const { steps, left } = await updateTable(graph, { client });
    expect(steps.map(({ kind }) => kind)).toEqual(['stream', 'index', 'index']);
    expect(left).toEqual([expect.stringContaining('--ttl expiresAt')]);
    expect(await hasTtl(client, graph)).toBe(false);
    expect(await planTableUpdate(graph, { client })).toMatchObject({ steps: [], left });
    await expect(updateTable(graph, { client, ttl: 'endsAt' })).rejects.toMatchObject({ code: 'invalid-argument' });
    for (const [source, target] of [
      ['USER-ann', 'USER-ann'],
      ['USER-bob', 'USER-bob'],
      ['USER-ann', 'KNOWS-USER-bob'],
    ] as const)
      await store.delete({ source, target });
    expect((await updateTable(graph, { client })).steps).toEqual([{ kind: 'ttl' }]);
    expect(await hasTtl(client, graph)).toBe(true);
  });

  it('does what is left where it was interrupted', async () => {
    const { graph } = await bareTable();
    let asked = 0;
    const stopped = updateTable(graph, {
      client,
      onProgress: (_step, status) => {
        if (status !== 'asked for') return;
        asked += 1;
        if (asked === 3) throw new Error('stopped');
      },
    });
    await expect(stopped).rejects.toThrow('stopped');
    const { steps } = await updateTable(graph, { client, ttl: 'expiresAt' });
    expect(steps).toEqual([{ kind: 'index', index: 'gsi1' }, { kind: 'ttl' }]);
    expect((await describeTable(graph, { client })).lacks).toEqual([]);
  });

  it('refuses what no update changes, names it, and changes nothing', async () => {
    const { graph } = await bareTable();
    const { name } = graph.table;
    const refused = { code: 'table-differs' };
    const otherKeys = modelOf({ name, partitionKey: 'pk' });
    await expect(updateTable(otherKeys, { client })).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('the keys pk and target'),
    });
    const TimeToLiveSpecification = { AttributeName: 'endsAt', Enabled: true };
    await client.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification }));
    await expect(updateTable(graph, { client })).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('the attribute endsAt'),
    });
    const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
    expect(Table?.GlobalSecondaryIndexes ?? []).toEqual([]);
    expect(Table?.StreamSpecification?.StreamEnabled ?? false).toBe(false);
  });

  it('leaves an index of all attributes, which works, until the model names another one', async () => {
    const graph = modelOf(uniqueTableName());
    const { GlobalSecondaryIndexes = [], ...rest } = tableDefinition(graph);
    const wide = GlobalSecondaryIndexes.map((index) => ({ ...index, Projection: { ProjectionType: 'ALL' as const } }));
    await client.send(new CreateTableCommand({ ...rest, GlobalSecondaryIndexes: wide }));
    const store = new DynamoDBStore(client, graph.table);
    await store.put({ source: { S: 'USER-ann' }, target: { S: 'USER-ann' }, name: { S: 'ann' } });
    await check(graph, { store, mode: 'rebuild' });
    expect(await planTableUpdate(graph, { client, ttl: 'expiresAt' })).toMatchObject({
      steps: [{ kind: 'ttl' }],
      left: [expect.stringContaining('the index gsi0 stays'), expect.stringContaining('the index gsi1 stays')],
    });
    const named = { ...graph, table: { ...graph.table, indexNames: { ...graph.table.indexNames, gsi0: 'narrow' } } };
    const { steps } = await updateTable(named, { client, ttl: 'expiresAt' });
    expect(steps).toEqual([{ kind: 'index', index: 'gsi0' }, { kind: 'ttl' }]);
    expect(await describeTable(named, { client })).toMatchObject({
      lacks: [],
      projections: { gsi0: 'ALL', gsi1: 'ALL', narrow: 'INCLUDE' },
    });
    for (const model of [graph, named]) {
      const reader = createReader(model, { store: new DynamoDBStore(client, model.table) });
      expect((await reader.search('USER.name' as never).equals('ann')).items).toMatchObject([{ id: 'USER-ann' }]);
    }
  });

  it.each(['an index of other keys', 'an index of keys alone'])('refuses %s in its place', async (what) => {
    const graph = modelOf(uniqueTableName());
    const { GlobalSecondaryIndexes = [], StreamSpecification: _stream, ...rest } = tableDefinition(graph);
    const [first, second] = GlobalSecondaryIndexes;
    const odd =
      what === 'an index of other keys'
        ? [
            { ...first!, KeySchema: second!.KeySchema },
            { ...second!, KeySchema: first!.KeySchema },
          ]
        : [{ ...first!, Projection: { ProjectionType: 'KEYS_ONLY' as const } }, second!];
    await client.send(new CreateTableCommand({ ...rest, GlobalSecondaryIndexes: odd }));
    await expect(planTableUpdate(graph, { client })).rejects.toMatchObject({
      code: 'table-differs',
      message: expect.stringContaining('its index gsi0 has other keys, or lacks attributes that readers need'),
    });
  });
});

describe('native indexes', () => {
  const table = uniqueTableName();
  const loans = (native: boolean, project: readonly string[] = []) => {
    const inbound = { native, orders: { byDay: 'day', byFine: number('fine') }, project };
    return defineGraph({
      table,
      nodes: { READER: node({ view: 'ALL', search: { mail: native ? { native: true, project: ['name'] } : {} } }) },
      edges: { LOAN: edge({ from: 'READER', to: 'READER', edgeSet: false, inbound } as never) },
    }) as unknown as CompiledModel;
  };
  const nameOf = (graph: CompiledModel, attribute: string) =>
    nativeIndexes(graph).find((one) => one.attribute === attribute)!.name;

  it('are added one after the other to a table with items, filled from these, and named when the model has them no more', async () => {
    const [derived, native] = [loans(false), loans(true)];
    await createTable(derived, { client });
    const store = new DynamoDBStore(client, native.table);
    for (const [id, fine] of [
      ['a', 10],
      ['b', 9],
    ] as const) {
      await store.put({ source: { S: `READER-${id}` }, target: { S: `READER-${id}` }, mail: { S: 'x@example.com' } });
      const loan = { source: { S: `READER-${id}` }, target: { S: 'LOAN-READER-c' } };
      await store.put({ ...loan, day: { S: '2026' }, fine: { N: `${fine}` } });
    }
    const reader = createReader(native, { store });
    const loansOf = async (order: string) =>
      (await reader.inbound('READER-c', 'LOAN', { order: order as never })).items.map(({ source }) => source).sort();
    await expect(loansOf('byDay')).rejects.toMatchObject({ code: 'no-index', kind: 'fatal' });
    const mail = nameOf(native, 'mail');
    expect((await describeTable(native, { client })).lacks).toEqual([
      `the index ${mail} with the keys mail and target and the attributes name`,
      'the index target-day with the keys target and day',
      'the index target-fine with the keys target and fine',
    ]);
    const plan = await planTableUpdate(native, { client });
    expect(plan.steps).toEqual([
      { kind: 'native-index', index: mail },
      { kind: 'native-index', index: 'target-day' },
      { kind: 'native-index', index: 'target-fine' },
    ]);
    expect(plan.texts[2]).toBe(
      'add the index target-fine with the keys target and fine; from then on the table takes no item whose fine is no number',
    );
    expect(plan.mostWcu).toBe(3 * 4);
    // Of 6 KB in four items, each may have begun a unit more.
    const send = async (command: never) => {
      const answer = (await client.send(command)) as { Table?: object };
      return answer.Table === undefined ? answer : { ...answer, Table: { ...answer.Table, TableSizeBytes: 6 * 1024 } };
    };
    const larger = await planTableUpdate(native, { client: { send } as never });
    expect(larger.mostWcu).toBe(3 * (4 + 6));
    await updateTable(native, { client });
    expect((await describeTable(native, { client })).lacks).toEqual([]);
    expect((await planTableUpdate(native, { client })).steps).toEqual([]);
    expect(await loansOf('byDay')).toEqual(['READER-a', 'READER-b']);
    const { items } = await reader.inbound('READER-c', 'LOAN', { order: 'byFine' as never });
    expect(items.map(({ source }) => source)).toEqual(['READER-b', 'READER-a']);
    expect((await reader.search('READER.mail' as never).equals('x@example.com')).items).toHaveLength(2);
    expect((await planTableUpdate(derived, { client })).left).toEqual(
      [mail, 'target-day', 'target-fine'].map((name) => expect.stringContaining(`the index ${name} stays`)),
    );
  });

  it('of readers that need other attributes are others: no reader takes what an index lacks for absent', async () => {
    const [before, after] = [loans(true), loans(true, ['place'])];
    const reader = createReader(after, { store: new DynamoDBStore(client, after.table) });
    await expect(reader.inbound('READER-c', 'LOAN')).rejects.toMatchObject({ code: 'no-index' });
    const { steps, left } = await updateTable(after, { client });
    expect(steps).toEqual(['day', 'fine'].map((name) => ({ kind: 'native-index', index: nameOf(after, name) })));
    expect(left).toEqual(['target-day', 'target-fine'].map((name) => expect.stringContaining(name)));
    expect((await reader.inbound('READER-c', 'LOAN')).items).toHaveLength(2);
    expect((await planTableUpdate(before, { client })).steps).toEqual([]);
  });

  describe('that the table has under a name of its own', () => {
    const keys = { partitionKey: 'target', sortKey: 'day' };
    const modelWith = (name: string, nativeIndexes?: Record<string, typeof keys>) =>
      defineGraph({
        table: { name, ...(nativeIndexes && { nativeIndexes }) },
        nodes: { READER: node() },
        edges: {
          LOAN: edge({
            from: 'READER',
            to: 'READER',
            edgeSet: false,
            inbound: { native: true, orders: { byDay: 'day' } },
          }),
        },
      }) as unknown as CompiledModel;
    const tableWith = async (projection: 'ALL' | 'KEYS_ONLY') => {
      const graph = modelWith(uniqueTableName(), { ByTarget: keys });
      const { GlobalSecondaryIndexes = [], ...rest } = tableDefinition(graph);
      const indexes = GlobalSecondaryIndexes.map((one) =>
        one.IndexName === 'ByTarget' ? { ...one, Projection: { ProjectionType: projection } } : one,
      );
      await client.send(new CreateTableCommand({ ...rest, GlobalSecondaryIndexes: indexes }));
      return graph;
    };

    it('are read, and no second one is asked for', async () => {
      const graph = await tableWith('ALL');
      const store = new DynamoDBStore(client, graph.table);
      for (const [id, day] of [
        ['a', '2026-02-02'],
        ['b', '2026-01-01'],
      ] as const)
        await store.put({
          source: { S: `READER-${id}` },
          target: { S: 'LOAN-READER-c' },
          day: { S: day },
          note: { S: id },
        });
      expect((await planTableUpdate(graph, { client })).steps).toEqual([]);
      const { items } = await createReader(graph, { store }).inbound('READER-c', 'LOAN');
      expect(items.map(({ source }) => source)).toEqual(['READER-b', 'READER-a']);
      // A model that does not name the index says how to.
      const unnamed = modelWith(graph.table.name);
      expect((await planTableUpdate(unnamed, { client })).left).toContainEqual(
        'the index ByTarget has the keys of target-day, and readers ask that name alone. To read ByTarget instead, name it in the model (table.nativeIndexes); else delete ByTarget when nothing reads it',
      );
    });

    it('are refused where they do not hold all attributes', async () => {
      await expect(planTableUpdate(await tableWith('KEYS_ONLY'), { client })).rejects.toMatchObject({
        code: 'table-differs',
        message: expect.stringContaining('its index ByTarget has other keys, or lacks attributes that readers need'),
        hint: expect.stringContaining('table.nativeIndexes'),
      });
    });

    it('are refused where no native order needs their keys, or two have the same', () => {
      const named = (nativeIndexes: object) => () => modelWith('tbl', nativeIndexes as never);
      expect(named({ One: { ...keys, sortKey: 'dya' } })).toThrow('table.nativeIndexes.One');
      expect(named({ One: keys, Two: keys })).toThrow('table.nativeIndexes.Two');
      expect(named({ gsi0: keys })).toThrow('table.indexes');
      expect(named({ One: { partitionKey: 'target' } })).toThrow('table.nativeIndexes');
    });
  });

  it.each(['an index of other keys', 'a key of another type'])('refuses %s, with the remedy', async (what) => {
    const graph = defineGraph({
      table: uniqueTableName(),
      nodes: { READER: node({ search: { mail: { native: true } } }) },
    }) as CompiledModel;
    const { GlobalSecondaryIndexes = [], AttributeDefinitions = [], ...rest } = tableDefinition(graph);
    const isOfKeys = what === 'an index of other keys';
    await client.send(
      new CreateTableCommand({
        ...rest,
        GlobalSecondaryIndexes: GlobalSecondaryIndexes.map(({ IndexName, KeySchema, Projection }) => {
          const [hash, range] = KeySchema!;
          const turned = [
            { ...range!, KeyType: 'HASH' as const },
            { ...hash!, KeyType: 'RANGE' as const },
          ];
          return { IndexName, KeySchema: isOfKeys && IndexName === 'mail-target' ? turned : KeySchema, Projection };
        }),
        AttributeDefinitions: AttributeDefinitions.map(({ AttributeName, AttributeType }) => {
          return { AttributeName, AttributeType: !isOfKeys && AttributeName === 'mail' ? 'N' : AttributeType };
        }),
      }),
    );
    const text = isOfKeys
      ? 'its index mail-target has other keys'
      : 'the key mail of the index mail-target with type S';
    await expect(planTableUpdate(graph, { client })).rejects.toMatchObject({
      code: 'table-differs',
      message: expect.stringContaining(text),
      hint: expect.stringContaining('leave native out'),
    });
    expect((await describeTable(graph, { client })).lacks).toHaveLength(1);
  });
});
