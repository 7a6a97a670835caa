import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { deleteNodeWithEdges } from '../../src/client/write/cascade.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { type Item, stringOf } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import type { Store } from '../../src/core/store-port.ts';
import { StoreError } from '../../src/foundation/errors.ts';
import { projectionsOfModel } from '../../src/registry/projections-in-force.ts';
import type { ReaderLeases } from '../../src/registry/reader-lease.ts';
import { withReplacedCalls } from '../../src/store/wrapped.ts';
import { evolvingTable } from '../support/migrating-table.ts';
import { openTable, type testTable, uniqueTableName } from '../support/table.ts';
import { writerTable } from '../support/writer.ts';

/** The store with pages of 7 items, so that a few edges make several pages; `writeMany` may be replaced. */
function pagedStore(store: Store, replaced: Partial<Store> = {}): Store {
  return withReplacedCalls(store, { query: (request) => store.query({ ...request, limit: 7 }), ...replaced });
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

  it.each([
    ['the outgoing edges', 2],
    ['the incoming edges', 4],
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

  it('says how far it got if the node has changed since its edges were looked up', async () => {
    const graph = defineGraph({
      table: uniqueTableName(),
      nodes: { DOC: node({ versionAttribute: 'v' }) },
      edges: { LINK: edge({ from: 'DOC', to: 'DOC' }) },
    });
    const { writer, store } = await openTable(graph);
    await writer.putNode('DOC-1', {});
    for (const target of ['DOC-2', 'DOC-3'] as const) await writer.putEdge('DOC-1', 'LINK', target);
    const changing = withReplacedCalls(store, {
      query: async (request) => {
        const page = await store.query(request);
        await writer.updateNode('DOC-1', { set: { text: 'in the meantime' } });
        return page;
      },
    });
    const deletion = createWriter(graph, { store: changing }).deleteNodeWithEdges('DOC-1');
    await expect(deletion).rejects.toMatchObject({
      ...{ name: 'UnfinishedWriteError', code: 'condition-failed', items: 2 },
      current: { text: 'in the meantime' },
    });
    expect(await writer.deleteNodeWithEdges('DOC-1')).toMatchObject({ edges: 0, nodes: 1 });
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

  it('counts each item once if the model changes meanwhile, so that it looks again', async () => {
    const { graph, store } = await populated();
    await store.put({ source: { S: 'USER-U1' }, target: { S: 'LEGACY-USER-U2' } });
    const hold: ReaderLeases['hold'] = async (read) => {
      await read(projectionsOfModel(graph));
      return await read(projectionsOfModel(graph));
    };
    const result = await deleteNodeWithEdges(graph, store, 'USER-U1', { leases: { hold } });
    expect(result).toMatchObject({ edges: 32, nodes: 1, skipped: 1 });
  });
});

describe('deleteNodeWithEdges of a table with a registry', () => {
  const nodes = { USER: node({ view: ['name'] }), GOAL: node({ view: 'ALL' }) };
  const edges = (shards: number, { isOrdered = false, isCopied = false, since = 'since' } = {}) => ({
    MEMBER: edge({
      from: 'GOAL',
      to: 'USER',
      inbound: { orders: { gsi0: since, ...(isOrdered && { byRank: 'rank' }) }, shards },
      ...(isCopied && { copy: ['name'] }),
    }),
  });

  async function migratedTable() {
    const table = await evolvingTable((name) => ({
      before: defineGraph({ table: name, nodes, edges: edges(1) }),
      sharded: defineGraph({ table: name, nodes, edges: edges(3) }),
      ordered: defineGraph({ table: name, nodes, edges: edges(3, { isOrdered: true }) }),
      copied: defineGraph({ table: name, nodes, edges: edges(3, { isOrdered: true, isCopied: true }) }),
      other: defineGraph({ table: name, nodes, edges: edges(3, { since: 'rank' }) }),
    }));
    await table.migrate(table.before);
    const fill = async (attributes: Item = { since: { S: '2020' } }) => {
      await table.store.put({ source: { S: 'USER-1' }, target: { S: 'USER-1' }, name: { S: 'Ada' } });
      for (let i = 0; i < 5; i++) {
        await table.store.put({ source: { S: `GOAL-${i}` }, target: { S: 'MEMBER-USER-1' }, ...attributes });
      }
      await table.projectAll();
    };
    const left = async () => {
      const { items } = await table.store.scan({ segment: 0, segments: 1, consistent: true });
      return items.map((item) => stringOf(item['target'])).filter((key) => key?.startsWith('MEMBER-')).length;
    };
    await fill();
    return { ...table, fill, left, writer: (graph: CompiledModel) => createWriter(graph, { store: table.store }) };
  }

  it('finds the edges where the table keeps them: in other shards, by an order that was added, by reverse items', async () => {
    const { before, sharded, ordered, copied, other, migrate, writer, fill, left } = await migratedTable();
    await migrate(sharded);
    // The writer of the model before the change finds them, too: only where they lie has changed.
    expect(await writer(before).deleteNodeWithEdges('USER-1')).toMatchObject({ edges: 5, nodes: 1 });
    expect(await left()).toBe(0);
    await fill();
    await migrate(ordered);
    expect(await writer(ordered).deleteNodeWithEdges('USER-1')).toMatchObject({ edges: 5 });
    await fill({ rank: { S: '7' } });
    expect(await writer(ordered).deleteNodeWithEdges('USER-1')).toMatchObject({ edges: 5 });
    await fill({ rank: { S: '7' } });
    await migrate(other);
    expect(await writer(other).deleteNodeWithEdges('USER-1')).toMatchObject({ edges: 5 });
    // Nothing but reverse items names these.
    await fill({});
    await migrate(copied);
    expect(await writer(copied).deleteNodeWithEdges('USER-1')).toMatchObject({ edges: 5 });
    expect(await left()).toBe(0);
  });

  it('deletes nothing while the table does not keep all that the model finds edges by', async () => {
    const { sharded, ordered, copied, other, migrate, writer, left, store } = await migratedTable();
    for (const graph of [ordered, copied, other]) {
      for (const mostSteps of [0, 1, 2]) {
        if (mostSteps > 0 && graph === copied) await migrate(copied, { mostSteps });
        await expect(writer(graph).deleteNodeWithEdges('USER-1')).rejects.toMatchObject({
          code: 'projection-not-ready',
        });
        expect(await left()).toBe(5);
      }
    }
    expect((await store.get({ source: 'USER-1', target: 'USER-1' }, { consistent: true })).item).toBeDefined();
    await migrate(copied);
    expect(await writer(sharded).deleteNodeWithEdges('USER-1')).toMatchObject({ edges: 5 });
  });

  it('names the reverse items that are not there, whatever orders are', async () => {
    const table = await evolvingTable((name) => ({
      plain: defineGraph({ table: name, nodes, edges: { MEMBER: edge({ from: 'GOAL', to: 'USER' }) } }),
      copied: defineGraph({
        table: name,
        nodes,
        edges: { MEMBER: edge({ from: 'GOAL', to: 'USER', copy: ['name'] }) },
      }),
    }));
    const { plain, copied, migrate, store } = table;
    await migrate(plain);
    const deleted = () => createWriter(copied, { store }).deleteNodeWithEdges('USER-1');
    await expect(deleted()).rejects.toMatchObject({
      code: 'projection-not-ready',
      message: expect.stringContaining('view:GOAL'),
    });
    await migrate(copied);
    await store.put({ source: { S: 'GOAL-1' }, target: { S: 'MEMBER-USER-1' } });
    await table.projectAll();
    expect(await deleted()).toMatchObject({ edges: 1 });
  });
});
