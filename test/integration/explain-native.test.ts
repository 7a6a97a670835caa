import { beforeAll, describe, expect, it } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { nativeIndexes } from '../../src/core/model/native-indexes.ts';
import { edge, node, number } from '../../src/core/model/schema.ts';
import { explain } from '../../src/trust/explain/explain.ts';
import { explainQuery } from '../../src/trust/explain/query.ts';
import { openTable, uniqueTableName } from '../support/table.ts';

const graph = defineGraph({
  table: uniqueTableName(),
  nodes: {
    BOOK: node({}),
    READER: node({ deletedWhen: 'left', search: { card: { native: true, type: 'number' } } }),
  },
  edges: {
    LOAN: edge({
      ...{ from: 'BOOK', to: 'READER', edgeSet: false, deletedWhen: 'void', expires: 'expiresAt' },
      inbound: { native: true, orders: { byDay: 'day', byFine: number('fine') } },
    }),
  },
});

/** The names of the indexes say what they hold. */
const [ofCard, ofDay, ofFine] = ['card', 'day', 'fine'].map(
  (attribute) => nativeIndexes(graph).find((index) => index.attribute === attribute)!.name,
);

let table: Awaited<ReturnType<typeof openTable<typeof graph>>>;
const explained = (source: string, target = source) => explain(graph, { key: { source, target }, store: table.store });

beforeAll(async () => {
  table = await openTable(graph);
  const { writer } = table;
  await writer.putNode('READER-1', { card: 17 });
  await writer.putNode('READER-2', { card: 18, left: true });
  await writer.putEdge('BOOK-1', 'LOAN', 'READER-1', { day: '2026-01-02' });
  await writer.putEdge('BOOK-2', 'LOAN', 'READER-1', { day: '2026-01-02', fine: 3, void: true });
  await writer.putEdge('BOOK-3', 'LOAN', 'READER-1', { day: '2026-01-02', expiresAt: 1_600_000_000 });
});

describe('explain, of native lists', () => {
  it('says that DynamoDB keeps them, with the value that an edge has there, and why it is in none', async () => {
    const { item, parts, notes } = await explained('BOOK-1', 'LOAN-READER-1');
    expect([item.kind, notes]).toEqual(['edge', []]);
    expect(parts.filter(({ name }) => name.includes('orders'))).toEqual([
      {
        ...{ source: 'BOOK-1', target: 'LOAN-READER-1', name: 'edges.LOAN.inbound.orders.byDay', state: 'right' },
        reason: `The index ${ofDay}, kept by DynamoDB, has it at day "2026-01-02".`,
      },
      {
        ...{ source: 'BOOK-1', target: 'LOAN-READER-1', name: 'edges.LOAN.inbound.orders.byFine', state: 'absent' },
        reason: `The index ${ofFine}, kept by DynamoDB, leaves it out: it has no value for fine.`,
      },
    ]);
  });

  it('says of an edge that counts as deleted, or is over, that readers leave it out', async () => {
    const deleted = await explained('BOOK-2', 'LOAN-READER-1');
    expect(
      deleted.parts.filter(({ name }) => name.includes('orders')).map(({ state, reason }) => [state, reason]),
    ).toEqual(
      [ofDay, ofFine].map((index) => [
        'absent',
        `It counts as deleted, because it has void (true): readers leave it out of the index ${index}, kept by DynamoDB.`,
      ]),
    );
    const over = await explained('BOOK-3', 'LOAN-READER-1');
    expect(over.notes).toEqual([expect.stringContaining('It expired at 2020-09-13T12:26:40.000Z: reads leave it out')]);
  });

  it('explains native searches, and an item that is older than their index', async () => {
    const [found] = (await explained('READER-1')).parts.filter(({ name }) => name === 'nodes.READER.search.card');
    expect(found).toMatchObject({
      state: 'right',
      reason: `The index ${ofCard}, kept by DynamoDB, has it at card 17.`,
    });
    const store = {
      ...{ getMany: table.store.getMany.bind(table.store), query: table.store.query.bind(table.store) },
      get: async () => ({ item: { source: { S: 'READER-9' }, target: { S: 'READER-9' }, card: { S: 'x' } }, rcu: 1 }),
    };
    const { parts } = await explain(graph, { key: { source: 'READER-9', target: 'READER-9' }, store: store as never });
    expect(parts.find(({ name }) => name === 'nodes.READER.search.card')).toMatchObject({
      state: 'absent',
      reason: `The index ${ofCard}, kept by DynamoDB, leaves it out: card is a string ("x"), and the index takes only numbers.`,
    });
  });

  it('names the index that a query asks', async () => {
    const { plan } = await explainQuery(table.store, (store) =>
      createReader(graph, { store }).inbound('READER-1', 'LOAN', { order: 'byFine' }),
    );
    expect(plan).toMatchObject({ partitions: [`${ofFine} LOAN-READER-1`], calls: 1 });
    expect(plan.steps).toEqual([`1 Query of ${ofFine}, 0.5 RCU`]);
    const search = await explainQuery(table.store, (store) =>
      createReader(graph, { store }).search('READER.card').equals(17),
    );
    expect(search.plan.partitions).toEqual([`${ofCard} 17`]);
  });
});
