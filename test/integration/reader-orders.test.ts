import { beforeAll, describe, expect, it } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { date, edge, node, number, rank } from '../../src/core/model/schema.ts';
import { allPages, countingReader } from '../support/reader.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

/** Tickets in two orders of the indexes and two of their own; notes in one order of their own alone. */
const tickets = (table: string) =>
  defineGraph({
    table,
    nodes: { TICKET: node({ view: 'ALL' }), USER: node({ view: 'ALL' }) },
    edges: {
      FOR: edge({
        from: 'TICKET',
        to: 'USER',
        inbound: {
          orders: {
            gsi0: date('opened'),
            gsi1: 'title',
            byPriority: rank('priority', { HIGH: 3, LOW: 1 }),
            byHours: number('hours'),
          },
          project: ['title'],
        },
      }),
      NOTE: edge({
        from: 'TICKET',
        to: 'USER',
        edgeSet: false,
        inbound: { orders: { gsi0: 'since', byText: 'text' }, shards: 3 },
      }),
    },
  });

const graph = tickets(uniqueTableName());
/** Tickets that no two orders put in the same sequence. */
const TICKETS = Array.from({ length: 12 }, (_, i) => ({
  source: `TICKET-${String(i).padStart(2, '0')}` as const,
  opened: `2026-01-${String(i + 1).padStart(2, '0')}`,
  title: `title ${String(50 - i)}`,
  priority: i % 3 === 0 ? 'HIGH' : 'LOW',
  hours: (i * 7) % 12,
}));
/** DynamoDB allows sort keys of 1,024 bytes: there is no room left for the order's name before this one. */
const LONG = `USER-${'x'.repeat(1004)}` as const;

let table: Awaited<ReturnType<typeof testTable<typeof graph>>>;
let reader: ReturnType<typeof createReader<typeof graph>>;

beforeAll(async () => {
  table = await testTable(graph);
  const writer = createWriter(graph, { store: table.store });
  await writer.batch((batch) => {
    for (const { source, ...attributes } of TICKETS) batch.putEdge(source, 'FOR', 'USER-1', attributes);
    // Without a priority, so that one order leaves it out.
    batch.putEdge('TICKET-plain', 'FOR', 'USER-1', { hours: 100, title: 'z' });
    // A target whose id begins the same, and one that looks like a sharded or named partition of the first.
    for (const id of ['USER-10', 'USER-1#1', 'USER-1/byHours'] as const) {
      batch.putEdge('TICKET-00', 'FOR', id, { hours: 5, priority: 'LOW' });
    }
    for (let i = 0; i < 20; i++) batch.putEdge(`TICKET-${i}`, 'NOTE', 'USER-1', { text: `note ${i % 4}` });
    batch.putEdge('TICKET-00', 'NOTE', LONG, { text: 'long' });
  });
  expect((await table.projectAll()).quarantined).toBe(0);
  reader = createReader(graph, { store: table.store });
});

const sources = (page: { items: { source: string }[] }): string[] => page.items.map(({ source }) => source);
const byHours = [...TICKETS].sort((left, right) => left.hours - right.hours);

describe('named orders', () => {
  it('are chosen by name, beside the two of the indexes, each with what is projected', async () => {
    const found = await reader.inbound('USER-1', 'FOR', { order: 'byHours' });
    expect(sources(found)).toEqual([...byHours.map(({ source }) => source), 'TICKET-plain']);
    expect(found.items[0]).toEqual({
      ...{ source: byHours[0]!.source, type: 'FOR', target: 'USER-1', attributes: { title: byHours[0]!.title } },
    });
    const opened = TICKETS.map(({ source }) => source);
    expect(sources(await reader.inbound('USER-1', 'FOR'))).toEqual(opened);
    const byTitle = await reader.inbound('USER-1', 'FOR', { order: 'gsi1' });
    expect(sources(byTitle)).toEqual([...opened.reverse(), 'TICKET-plain']);
  });

  it('take the predicates of their kind: labels by weight, numbers in a range', async () => {
    const high = TICKETS.filter(({ priority }) => priority === 'HIGH').map(({ source }) => source);
    const query = { order: 'byPriority' } as const;
    expect(sources(await reader.inbound('USER-1', 'FOR', { ...query, atLeast: 'HIGH' }))).toEqual(high);
    expect(sources(await reader.inbound('USER-1', 'FOR', { ...query, equals: 'HIGH' }))).toEqual(high);
    expect(sources(await reader.inbound('USER-1', 'FOR', query))).toHaveLength(TICKETS.length);
    const range = { order: 'byHours', between: [3, 5], reverse: true } as const;
    expect(sources(await reader.inbound('USER-1', 'FOR', range))).toEqual(
      byHours
        .filter(({ hours }) => hours >= 3 && hours <= 5)
        .map(({ source }) => source)
        .reverse(),
    );
  });

  it('keep targets apart whose ids look alike', async () => {
    for (const id of ['USER-10', 'USER-1#1', 'USER-1/byHours']) {
      expect(sources(await reader.inbound(id, 'FOR', { order: 'byHours' }))).toEqual(['TICKET-00']);
      expect(sources(await reader.inbound(id, 'FOR', { order: 'byPriority' }))).toEqual(['TICKET-00']);
    }
  });

  it('may be sharded: one Query a shard, pages in order', async () => {
    const { reader: counted, callsOf } = countingReader(graph, table.endpoint);
    const expected = Array.from({ length: 20 }, (_, i) => ({ source: `TICKET-${i}`, text: i % 4 })).sort(
      (left, right) => left.text - right.text || (left.source < right.source ? -1 : 1),
    );
    const calls = await callsOf(async () => {
      expect(sources(await counted.inbound('USER-1', 'NOTE', { order: 'byText' }))).toEqual(
        expected.map(({ source }) => source),
      );
    });
    expect(calls).toEqual({ QueryCommand: 3 });
    for (const reverse of [false, true]) {
      const pages = await allPages((cursor) =>
        reader.inbound('USER-1', 'NOTE', { order: 'byText', reverse, limit: 3, cursor }),
      );
      const found = pages.flat().map(({ source }) => source);
      expect(found).toEqual((reverse ? [...expected].reverse() : expected).map(({ source }) => source));
    }
  });

  it('find an edge whose key leaves no room for the name', async () => {
    expect(sources(await reader.inbound(LONG, 'NOTE', { order: 'byText' }))).toEqual(['TICKET-00']);
    const { items } = await table.store.query({ partition: 'TICKET-00', sortKey: { beginsWith: '~ix/#byText/#' } });
    expect(items).toHaveLength(1);
  });

  it('bind a cursor to the order, and serve pages with their neighbours', async () => {
    const { cursor } = await reader.inbound('USER-1', 'FOR', { order: 'byHours', limit: 1 });
    for (const order of ['byPriority', 'gsi0'] as const) {
      await expect(reader.inbound('USER-1', 'FOR', { order, limit: 1, cursor })).rejects.toThrow(
        expect.objectContaining({ code: 'invalid-cursor' }),
      );
    }
    const page = await reader.page('USER-1', 'FOR', { order: 'byHours', limit: 2, reverse: true });
    expect(page.items.map(({ id }) => id)).toEqual(['TICKET-plain', byHours.at(-1)!.source]);
    const open = reader as unknown as ReturnType<typeof createReader<CompiledModel>>;
    for (const order of ['byColour', Object.create(null)]) {
      await expect(open.inbound('USER-1', 'FOR', { order })).rejects.toThrow(
        expect.objectContaining({
          code: 'unknown-order',
          hint: expect.stringContaining('gsi0, gsi1, byPriority, byHours'),
        }),
      );
    }
  });
});

describe('the index items of named orders', () => {
  it('follow their edge: changed, taken out of one order, deleted; waitForProjection looks at each', async () => {
    const own = await testTable(tickets(uniqueTableName()));
    const writer = createWriter(own.graph, { store: own.store });
    const ownReader = createReader(own.graph, { store: own.store });
    const key = ['TICKET-1', 'FOR', 'USER-1'] as const;
    await writer.putEdge('TICKET-1', 'FOR', 'USER-1', { hours: 1, priority: 'LOW' });
    await expect(ownReader.waitForProjection(...key, { timeoutMs: 0 })).rejects.toThrow(/~ix\/#byPriority\/FOR-USER-1/);
    await own.projectAll();
    await ownReader.waitForProjection(...key, { timeoutMs: 0 });
    await writer.putEdge('TICKET-1', 'FOR', 'USER-1', { hours: 2 });
    await expect(ownReader.waitForProjection(...key, { timeoutMs: 0 })).rejects.toThrow(/~ix\/#byHours\/FOR-USER-1/);
    await own.projectAll();
    expect(sources(await ownReader.inbound('USER-1', 'FOR', { order: 'byPriority' }))).toEqual([]);
    expect(sources(await ownReader.inbound('USER-1', 'FOR', { order: 'byHours', equals: 2 }))).toEqual(['TICKET-1']);
    await writer.deleteEdge('TICKET-1', 'FOR', 'USER-1');
    await own.projectAll();
    expect(sources(await ownReader.inbound('USER-1', 'FOR', { order: 'byHours' }))).toEqual([]);
    await ownReader.waitForProjection(...key, { timeoutMs: 0 });
  });

  it('lead deleteNodeWithEdges to the edges that no other order holds', async () => {
    const own = await testTable(tickets(uniqueTableName()));
    const writer = createWriter(own.graph, { store: own.store });
    await writer.batch((batch) => {
      for (let i = 0; i < 4; i++) batch.putEdge(`TICKET-${i}`, 'FOR', 'USER-1', { hours: i });
      for (let i = 0; i < 4; i++) batch.putEdge(`TICKET-${i}`, 'NOTE', 'USER-1', { text: 'a' });
    });
    await own.projectAll();
    expect(await writer.deleteNodeWithEdges('USER-1')).toMatchObject({ edges: 8 });
  });
});
