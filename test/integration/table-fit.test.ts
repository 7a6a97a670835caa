import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import type { Item } from '../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../src/core/items/change-record.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import type { OpenAttributes } from '../../src/core/model/order.ts';
import { edge, type InboundEntries, node } from '../../src/core/model/schema.ts';
import type { Store } from '../../src/core/store-port.ts';
import { StoreError } from '../../src/foundation/errors.ts';
import { createProjector } from '../../src/projecting/apply/projector.ts';
import { createClient } from '../../src/store/client.ts';
import { tableDefinition } from '../../src/store/definition/table-definition.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { describeTable, requireFit } from '../../src/store/table.ts';
import { planTableUpdate } from '../../src/store/table-update/plan.ts';
import { check } from '../../src/trust/check/check.ts';
import { testEndpoint } from '../support/engine.ts';
import { change } from '../support/records.ts';
import { uniqueTableName } from '../support/table.ts';

/** The same table for two models: the second needs an index and a stream that the table does not have. */
it('a model whose indexes and stream the table does not have is told of each, in description and reads', async () => {
  const table = uniqueTableName();
  const client = createClient({ endpoint: testEndpoint() });
  const edges = (inbound: InboundEntries<OpenAttributes>) => ({ KNOWS: edge({ from: 'USER', to: 'USER', inbound }) });
  const nodes = { USER: node() };
  const small = defineGraph({ table, nodes, edges: edges({ gsi0: 'since' }) });
  const large = defineGraph({ table, nodes, edges: edges({ gsi0: 'since', gsi1: 'until' }) });
  const { StreamSpecification: _, ...withoutStream } = tableDefinition(small);
  await client.send(new CreateTableCommand(withoutStream));

  expect((await describeTable(client, small)).lacks).toEqual(['a stream of new and old images']);
  const status = await describeTable(client, large);
  expect(status.lacks).toEqual([
    'the index gsi1 with the keys gsi1pk and gsi1sk, of all attributes',
    'a stream of new and old images',
  ]);
  expect(() => requireFit(status)).toThrow(
    expect.objectContaining({ code: 'table-differs', message: expect.stringContaining('the index gsi1') }),
  );
  const renamed = defineGraph({ table: { name: table, partitionKey: 'pk' }, nodes });
  expect((await describeTable(client, renamed)).lacks[0]).toBe('the keys pk and target');

  const reader = createReader(large as CompiledModel, { store: new DynamoDBStore(client, large.table) });
  expect(await reader.inbound('KNOWS', 'USER-1', { order: 'gsi0' as never })).toEqual({ items: [] });
  await expect(reader.inbound('KNOWS', 'USER-1', { order: 'gsi1' as never })).rejects.toMatchObject({
    code: 'no-index',
    message: `The table ${table} has no index gsi1, which the model needs.`,
  });
  client.destroy();
});

describe('a table whose keys have another type than text', () => {
  const nodes = { USER: node({ search: { name: {} } }) };

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
    ['gsi0sk', 'N', 'the key gsi0sk of the index gsi0 with type S (it has type N)', 'indexKeys'],
    ['gsi0pk', 'B', 'the key gsi0pk of the index gsi0 with type S (it has type B)', 'indexKeys'],
    ['target', 'N', 'the key target of the table with type S (it has type N)', 'Keys never change'],
    ['source', 'B', 'the key source of the table with type S (it has type B)', 'Keys never change'],
  ] as const)('%s of type %s is named with both types and the remedy', async (attribute, type, text, remedy) => {
    const { graph, client } = await typedTable({ [attribute]: type });
    const status = await describeTable(client, graph);
    expect(status.lacks).toEqual([text]);
    expect(() => requireFit(status)).toThrow(
      expect.objectContaining({ code: 'table-differs', message: expect.stringContaining(text) }),
    );
    await expect(planTableUpdate(client, graph)).rejects.toMatchObject({
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
      expect(await check({ graph, store, settleMs: 1 })).toMatchObject({ quarantined: 2 });
      client.destroy();
    },
  );

  it('an entry that an index of other software refuses has its keys alone', async () => {
    const { graph, client, store } = await typedTable({});
    const refused: Store = Object.assign(Object.create(store) as Store, {
      put: async (item: Item) => {
        if (item['code'] !== undefined) throw new StoreError('terminal', 'ValidationException', 'No.');
        return await store.put(item);
      },
    });
    const record = change('USER-1', 'USER-1', undefined, { name: { N: '1' } }, 1);
    expect(await createProjector(graph, { store: refused }).project([record])).toMatchObject({ failedFrom: undefined });
    const { items } = await store.query({ partition: 'USER-1', sortKey: { beginsWith: '~quarantine/' } });
    expect(Object.keys(items[0]!).sort()).toEqual(['source', 'target']);
    client.destroy();
  });
});
