import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import { type Item, stringOf } from '../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../src/core/items/change-record.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import type { DerivedUpdate, Store } from '../../src/core/store-port.ts';
import type { FunctionLogger } from '../../src/deployment/lambda/function-logger.ts';
import { streamHandler } from '../../src/deployment/lambda/index.ts';
import { StoreError } from '../../src/foundation/errors.ts';
import { createProjector } from '../../src/projecting/apply/projector.ts';
import { createSourceWorker } from '../../src/projecting/worker/worker.ts';
import { createClient } from '../../src/store/client.ts';
import { tableDefinition } from '../../src/store/definition/table-definition.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { requireFit } from '../../src/store/key-types.ts';
import { describeTable } from '../../src/store/table-description.ts';
import { planTableUpdate } from '../../src/store/table-update/plan.ts';
import { withReplacedCalls } from '../../src/store/wrapped.ts';
import { check } from '../../src/trust/check/check.ts';
import type { Finding } from '../../src/trust/check/finding.ts';
import { redrive } from '../../src/trust/repair/redrive.ts';
import { testEndpoint } from '../support/engine.ts';
import { recordingLogger } from '../support/follow-graph.ts';
import { change } from '../support/records.ts';
import { ScriptedStream } from '../support/scripted-stream.ts';
import { uniqueTableName } from '../support/table.ts';

const context = { awsRequestId: 'request-1', getRemainingTimeInMillis: () => 60_000 };

/** The same table for two models: the second needs an index and a stream that the table does not have. */
it('a model whose indexes and stream the table does not have is told of each, in description and reads', async () => {
  const table = uniqueTableName();
  const client = createClient({ endpoint: testEndpoint() });
  const edges = (orders: Record<string, string>) => ({
    KNOWS: edge({ from: 'USER', to: 'USER', inbound: { orders } }),
  });
  const nodes = { USER: node({ view: 'ALL' }) };
  const small = defineGraph({ table, nodes, edges: edges({ gsi0: 'since' }) });
  const large = defineGraph({ table, nodes, edges: edges({ gsi0: 'since', gsi1: 'until' }) });
  const { StreamSpecification: _, ...withoutStream } = tableDefinition(small);
  await client.send(new CreateTableCommand(withoutStream));

  expect((await describeTable(small, { client })).lacks).toEqual(['a stream of new and old images']);
  const status = await describeTable(large, { client });
  expect(status.lacks).toEqual(['the index gsi1 with the keys gsi1pk and gsi1sk', 'a stream of new and old images']);
  // A migration adds the index.
  expect(status.addable).toEqual(['the index gsi1 with the keys gsi1pk and gsi1sk']);
  expect(() => requireFit(status)).toThrow(
    expect.objectContaining({ code: 'table-differs', message: expect.stringContaining('the index gsi1') }),
  );
  requireFit({ ...status, lacks: status.addable });
  const renamed = defineGraph({ table: { name: table, partitionKey: 'pk' }, nodes });
  expect((await describeTable(renamed, { client })).lacks[0]).toBe('the keys pk and target');

  const reader = createReader(large as CompiledModel, { store: new DynamoDBStore(client, large.table) });
  expect(await reader.inbound('USER-1', 'KNOWS', { order: 'gsi0' as never })).toEqual({ items: [] });
  await expect(reader.inbound('USER-1', 'KNOWS', { order: 'gsi1' as never })).rejects.toMatchObject({
    code: 'no-index',
    message: `The table ${table} has no index gsi1, which the model needs.`,
  });
  client.destroy();
});

describe('a table whose keys have another type than text', () => {
  const nodes = { USER: node({ view: 'ALL', search: { name: {} } }) };
  // A function writes metrics.
  beforeEach(() => void vi.spyOn(process.stdout, 'write').mockReturnValue(true));
  afterEach(() => vi.restoreAllMocks());

  /** A table with the given types of some attributes, and a model of it. */
  async function typedTable(types: Record<string, 'N' | 'B'>) {
    const graph = defineGraph({ table: uniqueTableName(), nodes });
    const client = createClient({ endpoint: testEndpoint() });
    const { AttributeDefinitions = [], ...definition } = tableDefinition(graph);
    const typed = AttributeDefinitions.map(({ AttributeName, AttributeType }) => ({
      AttributeName,
      AttributeType: types[AttributeName ?? ''] ?? AttributeType,
    }));
    await client.send(new CreateTableCommand({ ...definition, AttributeDefinitions: typed }));
    return { graph, client, store: new DynamoDBStore(client, graph.table) };
  }

  it.each([
    ['gsi0sk', 'N', 'the key gsi0sk of the index gsi0 with type S (it has type N)', 'table.indexes'],
    ['gsi0pk', 'B', 'the key gsi0pk of the index gsi0 with type S (it has type B)', 'table.indexes'],
    ['target', 'N', 'the key target of the table with type S (it has type N)', 'Keys never change'],
    ['source', 'B', 'the key source of the table with type S (it has type B)', 'Keys never change'],
  ] as const)('%s of type %s is named with both types and the remedy', async (attribute, type, text, remedy) => {
    const { graph, client } = await typedTable({ [attribute]: type });
    const status = await describeTable(graph, { client });
    expect(status.lacks).toEqual([text]);
    expect(() => requireFit(status)).toThrow(
      expect.objectContaining({ code: 'table-differs', message: expect.stringContaining(text) }),
    );
    await expect(planTableUpdate(graph, { client })).rejects.toMatchObject({
      code: 'table-differs',
      message: expect.stringContaining(text),
      hint: expect.stringContaining(remedy),
    });
    client.destroy();
  });

  it.each<Record<string, 'N'>>([{ gsi0sk: 'N' }, { gsi0pk: 'N', gsi0sk: 'N' }])(
    'with keys %j holds up no record: the entry of one that it refuses is out of the index, and a check counts it',
    async (types) => {
      const { graph, client, store } = await typedTable(types);
      const user = (id: string, attributes: Item): ChangeRecord =>
        change(`USER-${id}`, `USER-${id}`, undefined, attributes, Number(id));
      const records = [user('1', { name: { S: 'Ada' } }), user('2', {}), user('3', { name: { N: '1' } })];
      for (const { newImage } of records) await store.put(newImage!);
      const result = await createProjector(graph, { store }).project(records);
      expect(result).toMatchObject({ failedFrom: undefined, quarantined: 2 });
      const view = await store.get({ source: 'USER-2', target: '~view' }, { consistent: true });
      expect(view).toMatchObject({ item: { attributes: { M: {} } } });
      const { items } = await store.query({ partition: 'USER-3', sortKey: { beginsWith: '~quarantine/' } });
      expect(items).toMatchObject([{ of: { S: 'USER-3' }, code: { S: 'wrong-type' } }]);
      expect(items[0]).not.toHaveProperty('gsi0pk');
      expect(await check(graph, { store, graceMs: 1 })).toMatchObject({ quarantined: 2 });
      client.destroy();
    },
  );

  it('holds up no record where it refuses every form of the entry: the others are applied, and the log tells of this one', async () => {
    const { graph, client, store } = await typedTable({});
    // As a table does whose local index holds 10 GB of a partition.
    const refuse = (source: string): void => {
      if (source !== 'USER-2') return;
      throw new StoreError('terminal', 'ItemCollectionSizeLimitExceededException', 'It is full.');
    };
    const full = withReplacedCalls(store, {
      put: async (item: Item) => {
        refuse(stringOf(item['source']) ?? '');
        return await store.put(item);
      },
      update: async (update: DerivedUpdate) => {
        refuse(update.key.source);
        return await store.update(update);
      },
    });
    const records = ['1', '2', '3'].map((id) =>
      change(`USER-${id}`, `USER-${id}`, undefined, { name: { S: id } }, Number(id)),
    );
    for (const { newImage } of records) await store.put(newImage!);
    const result = await createProjector(graph, { store: full }).project(records);
    expect(result).toMatchObject({
      failedFrom: undefined,
      quarantined: 2,
      // Each is told by itself.
      quarantines: ['~view', '~ix/name'].map((key) => ({
        ...{ code: 'ItemCollectionSizeLimitExceededException', count: 1, isRefused: true },
        reason: expect.stringMatching(`${key} cannot be written.*refuses the quarantine entry`),
      })),
    });
    for (const id of ['USER-1', 'USER-3']) {
      expect(await store.get({ source: id, target: '~view' }, { consistent: true })).toHaveProperty('item');
    }
    expect(await check(graph, { store, graceMs: 1 })).toMatchObject({ drift: { missing: 2 } });
    client.destroy();
  });

  it.each(['a worker', 'a function'])('is refused by %s at its start', async (who) => {
    const { graph, client, store } = await typedTable({ gsi0sk: 'N' });
    const refusal = {
      code: 'table-differs',
      message: expect.stringContaining('gsi0sk of the index gsi0 with type S (it has type N)'),
    };
    const { lines: _lines, ...logger } = recordingLogger();
    const functionLogger: FunctionLogger = { ...logger, child: () => functionLogger };
    const stream = new ScriptedStream(store);
    stream.open('only');
    const run = () =>
      who === 'a worker'
        ? createSourceWorker(graph, { source: stream, store, logger }).run({ untilIdle: true })
        : streamHandler(graph, { store, logger: functionLogger })({ Records: [] }, context);
    await expect(run()).rejects.toMatchObject(refusal);
    client.destroy();
  });

  it.each(['a worker', 'a function'])(
    'is not looked at by %s that may not: it says so once and goes on',
    async (who) => {
      const { graph, client, store } = await typedTable({});
      const { lines, ...logger } = recordingLogger();
      let looks = 0;
      const denied: Store = Object.assign(Object.create(store) as Store, {
        describe: async () => {
          looks += 1;
          throw new StoreError('fatal', 'AccessDeniedException', 'You may not describe it.');
        },
      });
      if (who === 'a worker') {
        const stream = new ScriptedStream(store);
        stream.open('only');
        await createSourceWorker(graph, { source: stream, store: denied, logger, pollIntervalMs: 10 }).run({
          untilIdle: true,
        });
      } else {
        const functionLogger: FunctionLogger = { ...logger, child: () => functionLogger };
        const handler = streamHandler(graph, { store: denied, logger: functionLogger });
        for (let calls = 0; calls < 3; calls++)
          expect(await handler({ Records: [] }, context)).toEqual({ batchItemFailures: [] });
      }
      expect(looks).toBe(1);
      expect(lines.filter((line) => line.includes('types of the table'))).toHaveLength(1);
      client.destroy();
    },
  );

  it('an entry that an index of other software refuses has its keys alone, and a redrive finds it', async () => {
    const { graph, client, store } = await typedTable({});
    const refused = withReplacedCalls(store, {
      update: async (update: DerivedUpdate) => {
        if (update.set['code'] !== undefined) throw new StoreError('terminal', 'ValidationException', 'No.');
        return await store.update(update);
      },
      put: async (item: Item) => {
        if (item['code'] !== undefined) throw new StoreError('terminal', 'ValidationException', 'No.');
        return await store.put(item);
      },
    });
    const record = change('USER-1', 'USER-1', undefined, { name: { N: '1' } }, 1);
    await store.put(record.newImage!);
    expect(await createProjector(graph, { store: refused }).project([record])).toMatchObject({ failedFrom: undefined });
    const { items } = await store.query({ partition: 'USER-1', sortKey: { beginsWith: '~quarantine/' } });
    expect(Object.keys(items[0]!).sort()).toEqual(['gsi0pk', 'gsi0sk', 'r', 'source', 'target']);
    const found: Finding[] = [];
    await check(graph, { store, graceMs: 1, onFinding: (finding) => found.push(finding) });
    expect(found).toMatchObject([{ source: 'USER-1', target: 'USER-1', verdict: 'quarantined' }]);
    expect(await redrive(graph, { store })).toMatchObject({ entries: 1, left: 1 });
    await store.put({ ...record.newImage!, name: { S: 'Ada' } });
    expect(await redrive(graph, { store })).toMatchObject({ entries: 1, repaired: 1 });
    client.destroy();
  });

  it('an entry that is in no index is named by a check, and redriven by its node', async () => {
    const { graph, client, store } = await typedTable({ gsi0sk: 'N' });
    const record = change('USER-1', 'USER-1', undefined, { name: { N: '1' } }, 1);
    await store.put(record.newImage!);
    expect(await createProjector(graph, { store }).project([record])).toMatchObject({ quarantined: 1 });
    const found: Finding[] = [];
    await check(graph, { store, graceMs: 1, onFinding: (finding) => found.push(finding) });
    expect(found).toMatchObject([
      {
        ...{ source: 'USER-1', target: 'USER-1', verdict: 'quarantined' },
        actual: expect.stringContaining('Its entry is in no index: redrive it by the id of its node.'),
      },
    ]);
    expect(await redrive(graph, { store })).toMatchObject({ entries: 0 });
    const ids = ['USER-2', 'USER-1'];
    expect(await redrive(graph, { store, ids, remainingMs: () => 60_000 })).toMatchObject({ entries: 1, left: 1 });
    await store.put({ source: { S: 'USER-1' }, target: { S: 'USER-1' } });
    expect(await redrive(graph, { store, ids })).toMatchObject({ entries: 1, repaired: 1 });
    expect(await check(graph, { store, graceMs: 1 })).toMatchObject({ quarantined: 0 });
    client.destroy();
  });
});
