import { describe, expect, it } from 'vitest';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { date, edge, node, rank, source } from '../../src/core/model/schema.ts';
import { createWorker } from '../../src/projecting/worker/worker.ts';
import { memoryCheckpoint } from '../../src/stream/checkpoint.ts';
import { check } from '../../src/trust/check/check.ts';
import { redrive } from '../../src/trust/repair/redrive.ts';
import { checkTools } from '../support/checked-table.ts';
import { openTable, uniqueTableName } from '../support/table.ts';

function trackerGraph(byOrg: boolean) {
  return defineGraph({
    table: uniqueTableName(),
    nodes: { TICKET: node({ view: 'ALL' }), PROJECT: node({ view: 'ALL' }), USER: node({ view: 'ALL' }) },
    edges: {
      IN_PROJECT: edge({
        from: 'TICKET',
        to: 'PROJECT',
        inbound: {
          orders: {
            gsi0: date(source('dueDate')),
            byStatus: [rank(source('status'), { open: 2, done: 1 }), source('priority')],
          },
          project: ['role'],
          projectSource: ['title', 'status'],
          ...(byOrg && { partition: source('orgId') }),
        },
      }),
      ASSIGNED: edge({ from: 'TICKET', to: 'USER', inbound: { orders: { gsi0: 'since' } } }),
    },
  });
}

const PROJECT = 'PROJECT-1';
const EDGE = `IN_PROJECT-${PROJECT}`;
const tickets = (count: number): string[] => Array.from({ length: count }, (_, i) => `TICKET-${i}`);
const key = (source: string, target = source): Item => ({ source: { S: source }, target: { S: target } });

/** A table with a worker on its stream, which goes on from where it ended. */
async function tracker({ byOrg = false } = {}) {
  const table = await openTable(trackerGraph(byOrg));
  const { graph, store, streams, streamArn } = table;
  const checkpoint = memoryCheckpoint();
  const run = async () =>
    await createWorker(graph, { store, streams, streamArn, checkpoint, pollIntervalMs: 20 }).run({ untilIdle: true });
  const ticket = (id: string, title: string, status: string, more: Item = {}) =>
    store.put({ ...key(id), title: { S: title }, status: { S: status }, ...more });
  const checked = (mode: 'report' | 'repair' = 'report') => checkTools(graph, store).run({ mode });
  return { ...table, run, ticket, checked };
}

const CLEAN = { drift: { missing: 0, stale: 0, orphan: 0 }, pending: 0 };

describe('index items that an edge and its source node determine', () => {
  it('are searched by whole leading values of an order by several, in the order of those that follow', async () => {
    const { run, ticket, store, reader } = await tracker();
    const given: [string, string, string | undefined][] = [
      ['TICKET-1', 'open', 'low'],
      ['TICKET-2', 'done', 'high'],
      ['TICKET-3', 'open', 'high'],
      ['TICKET-4', 'open', undefined],
    ];
    for (const [id, status, priority] of given) {
      await ticket(id, id, status, priority === undefined ? {} : { priority: { S: priority } });
      await store.put(key(id, EDGE));
    }
    await run();
    // Any texts, as from a caller without types.
    const found = async (path: string[]) =>
      (await reader.inbound(PROJECT, 'IN_PROJECT', { order: 'byStatus', path: path as never })).items.map(
        ({ source }) => source,
      );
    expect(await found(['open'])).toEqual(['TICKET-4', 'TICKET-3', 'TICKET-1']);
    expect(await found(['open', 'high'])).toEqual(['TICKET-3']);
    expect(await found(['done'])).toEqual(['TICKET-2']);
    expect(await found([])).toEqual(['TICKET-2', 'TICKET-4', 'TICKET-3', 'TICKET-1']);
    await expect(found(['open', 'high', 'x'])).rejects.toThrow('has 3 values; the order has 2');
    await expect(found(['closed'])).rejects.toThrow('has no declared rank');
    // @ts-expect-error an order by several values has no one value
    const byOne = reader.inbound(PROJECT, 'IN_PROJECT', { order: 'byStatus', equals: 'open' });
    await expect(byOne).rejects.toMatchObject({ hint: expect.stringContaining('as path') });
    // @ts-expect-error an order by one value has no path
    const byPath = reader.inbound(PROJECT, 'IN_PROJECT', { path: ['open'] });
    await expect(byPath).rejects.toThrow('one value');
  });

  it('lie in the partition that the source names', async () => {
    const { run, ticket, store, reader, writer, checked } = await tracker({ byOrg: true });
    const dueDate = { dueDate: { S: '2026-03-01' } };
    await ticket('TICKET-1', 'one', 'open', { ...dueDate, orgId: { S: 'acme' } });
    await ticket('TICKET-2', 'two', 'open', { ...dueDate, orgId: { S: 'a#1' } });
    await ticket('TICKET-3', 'three', 'open', dueDate);
    for (const id of ['TICKET-1', 'TICKET-2', 'TICKET-3']) await store.put(key(id, EDGE));
    await run();
    const found = async (partition?: string) =>
      (await reader.inbound(PROJECT, 'IN_PROJECT', { partition })).items.map(({ source }) => source);
    expect(await found('acme')).toEqual(['TICKET-1']);
    expect(await found('a#1')).toEqual(['TICKET-2']);
    expect(await reader.inDegree(PROJECT, 'IN_PROJECT', { partition: 'acme' })).toMatchObject({ count: 1 });
    await expect(found()).rejects.toThrow('is partitioned by orgId');
    // No item has so long a key in an index.
    expect(await found('x'.repeat(3_000))).toEqual([]);
    const long = { partition: 'x'.repeat(3_000) };
    expect(await reader.inDegree(PROJECT, 'IN_PROJECT', long)).toMatchObject({ count: 0 });
    expect(await checked()).toMatchObject(CLEAN);
    // Which partitions there are, only the sources know.
    expect(await writer.deleteNodeWithEdges(PROJECT)).toMatchObject({ edges: 0, notFound: ['IN_PROJECT'] });
  });

  it('cost one write for each edge of a changed node, and none for what they do not use', async () => {
    const { run, ticket, store } = await tracker();
    await ticket('TICKET-1', 'one', 'open');
    await store.writeMany(tickets(10).map((_, i) => ({ put: key('TICKET-1', `IN_PROJECT-PROJECT-${i}`) })));
    await run();
    await ticket('TICKET-1', 'new title', 'open');
    // The view, and for each edge the item by due date, which has none, and that by status.
    expect((await run()).writes).toBe(1 + 20);
    await ticket('TICKET-1', 'new title', 'open', { note: { S: 'unused' } });
    expect((await run()).writes).toBe(1);
  });
});

describe('what is wrong with an index item of two base items', () => {
  it('is found by one scan and a read of each partition’s node, and mended', async () => {
    const { run, ticket, store, checked } = await tracker();
    for (const id of tickets(20)) {
      await ticket(id, id, 'open', { dueDate: { S: '2026-03-01' } });
      await store.put(key(id, EDGE));
    }
    await run();
    const clean = await checked();
    expect(clean).toMatchObject(CLEAN);
    // Half a unit for each node: its edges pass before it.
    expect(clean.rcu).toBeLessThan(20 * 0.5 + 30);
    const item = `~ix/${EDGE}`;
    await store.delete({ source: 'TICKET-1', target: item });
    const stale = (await store.get({ source: 'TICKET-2', target: item }, { consistent: true })).item!;
    await store.put({ ...stale, attributes: { M: { title: { S: 'old' } } } });
    await store.put({ ...stale, ...key('TICKET-3', '~ix/IN_PROJECT-PROJECT-9') });
    expect((await checked()).drift).toEqual({ missing: 1, stale: 1, orphan: 1 });
    expect(await checked('repair')).toMatchObject({ repaired: 3 });
    expect(await checked()).toMatchObject(CLEAN);
  });

  it('belongs to the node where the node’s attribute is wrong, and is settled by a redrive of it', async () => {
    const { graph, run, ticket, store, reader } = await tracker();
    await store.put(key('TICKET-1', EDGE));
    await ticket('TICKET-1', 'one', 'open', { dueDate: { S: 'soon' } });
    expect((await run()).quarantined).toBe(1);
    const entries = await store.query({ partition: 'TICKET-1', sortKey: { beginsWith: '~quarantine/' } });
    expect(entries.items.map(({ of }) => of)).toEqual([{ S: 'TICKET-1' }]);
    expect(entries.items[0]!['reason']).toMatchObject({ S: expect.stringContaining('dueDate') });
    expect((await reader.inbound(PROJECT, 'IN_PROJECT', { order: 'byStatus' })).items).toHaveLength(1);
    // Without its record: only the redrive brings it on.
    await ticket('TICKET-1', 'one', 'open', { dueDate: { S: '2026-03-01' } });
    expect(await redrive(graph, { store })).toMatchObject({ entries: 1, repaired: 1, left: 0 });
    expect((await reader.inbound(PROJECT, 'IN_PROJECT')).items).toMatchObject([{ source: 'TICKET-1' }]);
  });

  it('belongs to the edge where only both together are too long for a key', async () => {
    const { run, ticket, store, checked } = await tracker();
    const graph = defineGraph({
      table: uniqueTableName(),
      nodes: { A: node({ view: 'ALL' }), B: node({ view: 'ALL' }) },
      edges: { AB: edge({ from: 'A', to: 'B', inbound: { orders: { byBoth: ['own', source('its')] } } }) },
    });
    const table = await openTable(graph);
    await table.store.put({ ...key('A-1'), its: { S: 'i'.repeat(600) } });
    await table.store.put({ ...key('A-1', 'AB-B-1'), own: { S: 'o'.repeat(600) } });
    expect((await table.projectAll()).quarantined).toBeGreaterThan(0);
    const { items } = await table.store.query({ partition: 'A-1', sortKey: { beginsWith: '~quarantine/' } });
    expect(new Set(items.map(({ of }) => JSON.stringify(of)))).toEqual(new Set(['{"S":"AB-B-1"}']));
    const result = await check(graph, { store: table.store, graceMs: 20 });
    expect(result).toMatchObject({ drift: CLEAN.drift });
    expect(result.quarantined).toBeGreaterThan(0);
    // Without a mistake nothing is in quarantine.
    await ticket('TICKET-1', 'one', 'open');
    await store.put(key('TICKET-1', EDGE));
    await run();
    expect(await checked()).toMatchObject({ ...CLEAN, quarantined: 0 });
  });

  it('goes on from a stuck continuation, which the check finds and repair sets going again', async () => {
    const { run, ticket, store, checked } = await tracker();
    await ticket('TICKET-1', 'one', 'open');
    await store.put(key('TICKET-1', EDGE));
    await run();
    await store.put({
      ...key('TICKET-1', '~more/#source/IN_PROJECT'),
      ...{ after: { S: 'IN_PROJECT-A' }, r: { N: '1' }, model: { S: 'x' } },
    });
    expect((await checked()).findings).toMatchObject([{ target: '~more/#source/IN_PROJECT', verdict: 'stale' }]);
    await checked('repair');
    await run();
    expect(await checked()).toMatchObject(CLEAN);
  });
});
