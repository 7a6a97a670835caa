import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { StoreError } from '../../src/errors.ts';
import { defineGraph } from '../../src/model/compile/define-graph.ts';
import { edge, node } from '../../src/model/schema.ts';
import type { Store } from '../../src/store/port.ts';
import { replacedCalls } from '../../src/store/wrapped.ts';
import { createWriter } from '../../src/write/writer.ts';
import { testTable, uniqueTableName } from '../support/table.ts';
import { writerTable } from '../support/writer.ts';

/** The store with pages of 7 items, so that a few edges make several pages; `writeMany` may be replaced. */
function pagedStore(store: Store, replaced: Partial<Store> = {}): Store {
  return replacedCalls(store, { query: (request) => store.query({ ...request, limit: 7 }), ...replaced });
}

describe('deleteNodeWithEdges', () => {
  /** USER-U1 with 20 outgoing edges, 12 incoming ones, and one edge of another node. */
  async function populated() {
    const table = await writerTable();
    await table.writer.batch((batch) => {
      batch.putNode('USER-U1', { name: 'Ada' });
      for (let i = 0; i < 18; i++) batch.putEdge('USER-U1', 'FOLLOWS', `USER-${i}`, { since: '2020' });
      batch.putEdge('USER-U1', 'FOLLOWS', 'USER-U1', { since: '2020' });
      batch.putEdge('USER-U1', 'NOTES', 'GOAL-0');
      for (let i = 0; i < 10; i++) {
        const date = i % 2 === 0 ? { date: '2020-07-01' } : {};
        batch.putEdge(`GOAL-${i}`, 'GOALMEMBERSHIP', 'USER-U1', { memberRole: 'LEAD', ...date });
      }
      batch.putEdge('GOAL-dated', 'GOALMEMBERSHIP', 'USER-U1', { date: '2020-07-01' });
      batch.putEdge('USER-0', 'FOLLOWS', 'USER-U1', { since: '2020' });
      batch.putEdge('GOAL-1', 'GOALMEMBERSHIP', 'USER-other', { memberRole: 'LEAD' });
    });
    await table.projectAll();
    return table;
  }

  async function baseKeys(table: Awaited<ReturnType<typeof testTable>>): Promise<string[]> {
    const { Items = [] } = await table.client.send(
      new ScanCommand({ TableName: table.graph.table.name, ConsistentRead: true }),
    );
    const keys = Items.map((item) => `${item['source']?.S} ${item['target']?.S}`);
    return keys.filter((key) => !key.includes(' ~')).sort();
  }

  it('deletes the node, its outgoing edges and its indexed incoming ones, page by page, and nothing else', async () => {
    const table = await populated();
    const writer = createWriter(table.graph, { store: pagedStore(table.store) });
    const result = await writer.deleteNodeWithEdges('USER-U1');
    expect(result).toMatchObject({ edges: 32, nodes: 1, skipped: 0 });
    expect(await baseKeys(table)).toEqual(['GOAL-1 GOALMEMBERSHIP-USER-other']);
    expect(await writer.deleteNodeWithEdges('USER-U1')).toMatchObject({ edges: 0, nodes: 0 });
    expect(await table.projectAll()).toMatchObject({ quarantined: 0 });
    const { item } = await table.store.get({ source: 'USER-U1', target: '~view' }, { consistent: true });
    expect(item?.['edgeSet']).toBeUndefined();
    expect(item?.['attributes']).toBeUndefined();
  });

  it('leaves no edge unsaid: what reverse items know goes, and a type that nothing knows is named', async () => {
    const graph = defineGraph({
      table: uniqueTableName(),
      nodes: { USER: node(), BOOK: node() },
      edges: {
        WROTE: edge({ from: 'BOOK', to: 'USER', copy: ['name'] }),
        LENT: edge({ from: 'BOOK', to: 'USER', copy: ['name'], inbound: { gsi0: 'since' } }),
        KNOWS: edge({ from: 'USER', to: 'USER' }),
        READ: edge({ from: 'USER', to: 'BOOK' }),
      },
    });
    const table = await testTable(graph);
    const writer = createWriter(graph, { store: pagedStore(table.store) });
    await writer.batch((batch) => {
      batch.putNode('USER-1', { name: 'Ada' });
      for (let i = 0; i < 9; i++) batch.putEdge(`BOOK-${i}`, 'WROTE', 'USER-1');
      batch.putEdge('BOOK-0', 'LENT', 'USER-1', { since: '2020' });
      batch.putEdge('BOOK-1', 'LENT', 'USER-1');
      batch.putEdge('BOOK-1', 'WROTE', 'USER-2');
      batch.putEdge('USER-2', 'KNOWS', 'USER-1');
    });
    await table.projectAll();
    expect(await writer.deleteNodeWithEdges('USER-1')).toMatchObject({
      ...{ edges: 11, nodes: 1, notFound: ['KNOWS'], foundByOrders: [] },
    });
    expect(await baseKeys(table)).toEqual(['BOOK-1 WROTE-USER-2', 'USER-2 KNOWS-USER-1']);
    await table.projectAll();
    expect(await writer.deleteNodeWithEdges('USER-1')).toMatchObject({ edges: 0, nodes: 0, notFound: ['KNOWS'] });
  });

  it.each([
    ['the outgoing edges', 2],
    ['the incoming edges', 5],
  ])('goes on where it was interrupted among %s; the node stays until its edges are gone', async (_, failingCall) => {
    const table = await populated();
    let calls = 0;
    const failing = pagedStore(table.store, {
      writeMany: async (writes) => {
        calls += 1;
        if (calls < failingCall) return table.store.writeMany(writes);
        await table.store.writeMany(writes.slice(0, 1));
        throw new StoreError('retryable', 'no-connection', 'The connection broke.');
      },
    });
    const interrupted = createWriter(table.graph, { store: failing }).deleteNodeWithEdges('USER-U1');
    await expect(interrupted).rejects.toThrow('The connection broke.');
    const left = await baseKeys(table);
    expect(left).toContain('USER-U1 USER-U1');
    const edgesLeft = left.length - 2;
    expect(edgesLeft).toBeGreaterThan(0);
    expect(edgesLeft).toBeLessThan(32);
    // Nothing was projected since: the indexes still name edges that are gone, which must not be counted again.
    const result = await table.writer.deleteNodeWithEdges('USER-U1');
    expect(result).toMatchObject({ edges: edgesLeft, nodes: 1 });
    expect(await baseKeys(table)).toEqual(['GOAL-1 GOALMEMBERSHIP-USER-other']);
  });

  it("leaves alone what is no edge of the model, and never touches the projector's items", async () => {
    const table = await populated();
    await table.store.put({ source: { S: 'USER-U1' }, target: { S: 'LEGACY-USER-U2' } });
    await table.store.put({ source: { S: 'USER-U1' }, target: { S: 'settings' } });
    const derived = async () =>
      (await table.store.query({ partition: 'USER-U1', sortKey: { from: '~' }, consistent: true })).items;
    const before = await derived();
    expect(before.length).toBeGreaterThan(0);
    expect(await table.writer.deleteNodeWithEdges('USER-U1')).toMatchObject({ edges: 32, nodes: 1, skipped: 1 });
    expect(await baseKeys(table)).toEqual(
      expect.arrayContaining(['USER-U1 LEGACY-USER-U2', 'USER-U1 settings', 'GOAL-1 GOALMEMBERSHIP-USER-other']),
    );
    expect(await derived()).toEqual(before);
  });
});
