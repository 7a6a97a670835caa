import { CreateTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, describe, expect, it } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import type { AttributeValue } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { edge, node, number } from '../../src/core/model/schema.ts';
import type { Reader } from '../../src/index.ts';
import { planMigration } from '../../src/migrate/forecast/plan-migration.ts';
import { withoutRegistry } from '../../src/registry/reader-lease.ts';
import { createClient } from '../../src/store/client.ts';
import { tableDefinition } from '../../src/store/definition/table-definition.ts';
import { DynamoDBStore } from '../../src/store/dynamodb.ts';
import { planTableUpdate } from '../../src/store/table-update/plan.ts';
import { updateTable } from '../../src/store/table-update/update.ts';
import { check } from '../../src/trust/check/check.ts';
import type { Finding } from '../../src/trust/check/finding.ts';
import { memoryEngine } from '../contract/stores.ts';
import { testEndpoint } from '../support/engine.ts';
import { uniqueTableName } from '../support/table.ts';

/** Items that are older than a native index, with values that are no keys of it. */

const libraryOf = (table: string) =>
  defineGraph({
    table,
    nodes: { BOOK: node(), READER: node({ deletedWhen: 'left', search: { mail: { native: true } } }) },
    edges: {
      LOAN: edge({
        ...{ from: 'BOOK', to: 'READER', edgeSet: false },
        inbound: { native: true, orders: { byDay: 'day', byFine: number('fine') } },
      }),
    },
  }) as CompiledModel;

/** Values that are no text of a key, each with the reason. */
const MISFITS: readonly [value: AttributeValue, found: string][] = [
  [{ NULL: true }, 'is null'],
  [{ N: '5' }, 'is a number'],
  [{ S: '' }, 'has 0 bytes'],
  [{ S: 'x'.repeat(2_049) }, 'has 2049 bytes'],
  [{ BOOL: true }, 'is a boolean'],
  [{ L: [{ S: 'a' }] }, 'is a list'],
];

async function tableWithMisfits(client: DynamoDBClient) {
  const graph = libraryOf(uniqueTableName());
  const { TableName, KeySchema, BillingMode, AttributeDefinitions = [] } = tableDefinition(graph);
  const keys = AttributeDefinitions.filter(({ AttributeName: name }) =>
    KeySchema!.some((key) => key.AttributeName === name),
  );
  await client.send(new CreateTableCommand({ TableName, KeySchema, BillingMode, AttributeDefinitions: keys }));
  const store = new DynamoDBStore(client, graph.table);
  const put = async (source: string, target: string, item: Record<string, AttributeValue>): Promise<void> => {
    await store.put({ source: { S: source }, target: { S: target }, ...item });
  };
  for (const [i, [value]] of MISFITS.entries()) {
    await put(`READER-${i}`, `READER-${i}`, { mail: value });
    await put(`BOOK-${i}`, 'LOAN-READER-1', { day: value, fine: { S: 'much' } });
  }
  await put('READER-a', 'READER-a', { mail: { S: 'a@b' } });
  await put('READER-gone', 'READER-gone', { mail: { N: '1' }, left: { BOOL: true } });
  await put('BOOK-a', 'LOAN-READER-1', { day: { S: '2026-01-01' }, fine: { N: '1' } });
  await put('BOOK-none', 'LOAN-READER-1', {});
  // Of no type of the model.
  await put('SHELF-1', 'LOAN-READER-1', { day: { N: '1' } });
  return { graph, store };
}

const clients = new Map<string, Promise<DynamoDBClient>>();
const clientOf = async (engine: string): Promise<DynamoDBClient> => {
  const opened =
    clients.get(engine) ??
    Promise.resolve(engine === 'memory' ? memoryEngine() : testEndpoint()).then((endpoint) =>
      createClient({ endpoint }),
    );
  clients.set(engine, opened);
  return await opened;
};
afterAll(async () => {
  for (const client of clients.values()) (await client).destroy();
});

describe.each(['memory', 'of the run'])('a native index on the engine %s', (engine) => {
  it('is made, though items have values that are no keys of it, and everything names those', async () => {
    const client = await clientOf(engine);
    const { graph, store } = await tableWithMisfits(client);
    const gaps = [
      { name: 'edges.LOAN.inbound.orders.byDay', items: MISFITS.length },
      { name: 'edges.LOAN.inbound.orders.byFine', items: MISFITS.length },
      { name: 'nodes.READER.search.mail', items: MISFITS.length },
    ];
    const { lookedFor } = await planTableUpdate(graph, { client });
    expect(lookedFor).toMatchObject({ items: 2 * MISFITS.length + 5, isWhole: true, gaps });
    for (const { items, known } of lookedFor!.gaps) expect(known).toHaveLength(items);
    await updateTable(graph, { client });
    expect((await planTableUpdate(graph, { client })).lookedFor).toBeUndefined();

    const reader = createReader(graph, { store, leases: withoutRegistry(graph) }) as Reader<CompiledModel>;
    for (const order of ['byDay', 'byFine'] as const) {
      const { items } = await reader.inbound('READER-1', 'LOAN', { order } as never);
      expect(items.map(({ source }) => source)).toEqual(['BOOK-a']);
    }
    expect((await reader.search('READER.mail' as never).equals('a@b')).items).toHaveLength(1);

    expect((await planMigration({ graph, store, itemCount: 20 })).gaps).toMatchObject(gaps);
    const found: Finding[] = [];
    const result = await check(graph, { store, graceMs: 10, onFinding: (finding) => found.push(finding) });
    expect(result).toMatchObject({
      drift: { missing: 0, stale: 0, orphan: 0 },
      quarantined: 3 * MISFITS.length,
      unknown: 1,
    });
    const reasonsOf = (source: string) => found.filter((one) => one.source === source).map(({ actual }) => actual);
    for (const [i, [, reason]] of MISFITS.entries()) {
      expect(reasonsOf(`READER-${i}`)).toEqual([
        expect.stringMatching(
          new RegExp(`^nodes.READER.search.mail lacks it: mail ${reason}, and the index mail-target`),
        ),
      ]);
      expect(reasonsOf(`BOOK-${i}`)).toEqual([
        expect.stringContaining(
          `byDay lacks it: day ${reason}, and the index target-day takes only texts of 1 to 1024`,
        ),
        expect.stringContaining('byFine lacks it: fine is a string, and the index target-fine takes only numbers'),
      ]);
    }
    expect(reasonsOf('READER-gone')).toEqual([]);

    // A right value brings an item into the list.
    await store.put({ source: { S: 'BOOK-0' }, target: { S: 'LOAN-READER-1' }, day: { S: '2026-01-02' } });
    const { items } = await reader.inbound('READER-1', 'LOAN');
    expect(items.map(({ source }) => source)).toEqual(['BOOK-a', 'BOOK-0']);
    await store.delete({ source: 'BOOK-1', target: 'LOAN-READER-1' });
    expect((await check(graph, { store, graceMs: 10 })).quarantined).toBe(3 * MISFITS.length - 4);
  });
});
