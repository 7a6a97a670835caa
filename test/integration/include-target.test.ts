import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { createReader, type Reader } from '../../src/client/read/reader.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { date, edge, node, number } from '../../src/core/model/schema.ts';
import { checkTools, driftOf } from '../support/checked-table.ts';
import { allPages, countingReader } from '../support/reader.ts';
import { openTable, uniqueTableName } from '../support/table.ts';

/** Tickets of users and teams, in all three kinds of orders; the index partitions include their targets. */
const tickets = (table: string) =>
  defineGraph({
    table,
    nodes: { TICKET: node({ view: 'ALL' }), USER: node({ view: ['name'] }), TEAM: node({ view: 'KEYS_ONLY' }) },
    edges: {
      FOR: edge({
        from: ['TICKET', 'USER'],
        to: ['USER', 'TEAM'],
        inbound: {
          orders: { gsi0: date('opened'), gsi1: 'title', byHours: number('hours') },
          project: ['title'],
          includeTarget: true,
        },
      }),
      SEEN: edge({ from: 'TICKET', to: 'USER', inbound: { orders: { gsi0: 'at' } } }),
    },
  });

const graph = tickets(uniqueTableName());
const day = (i: number): string => `2026-01-${String(i + 1).padStart(2, '0')}`;
const newest = (count: number): string[] => Array.from({ length: count }, (_, i) => `TICKET-${11 - i}`);
/** Titles that sort as high as text can. */
const HIGH = ['\u{10ffff}', '\u{10ffff}\u{10ffff}', '\u{10ffff}\u0001', '\u{10ffff}\u0002', '\u{10ffff}\u0003', '~'];

let table: Awaited<ReturnType<typeof openTable<typeof graph>>>;
let reader: Reader<typeof graph>;

beforeAll(async () => {
  table = await openTable(graph);
  ({ reader } = table);
  await table.writer.batch((batch) => {
    batch.putNode('USER-1', { name: 'Ada', note: 'not in the view' });
    batch.putNode('TEAM-1', { name: 'not in the view either' });
    for (let i = 0; i < 12; i++) {
      batch.putEdge(`TICKET-${i}`, 'FOR', 'USER-1', { opened: day(i), title: `t${i % 10}`, hours: i });
    }
    for (const [i, title] of HIGH.entries()) batch.putEdge(`TICKET-high-${i}`, 'FOR', 'USER-2', { title });
    batch.putNode('USER-2', { name: 'Grace' });
    batch.putEdge('TICKET-1', 'FOR', 'USER-gone', { opened: day(0) });
    batch.putEdge('TICKET-1', 'FOR', 'TEAM-1', { opened: day(0) });
  });
  expect((await table.projectAll()).quarantined).toBe(0);
});

const sources = (page: { items: { source: string }[] }): string[] => page.items.map(({ source }) => source);
/** The newest edges, with their owner. */
const backwards = { reverse: true, includeTarget: true } as const;
const ada = { id: 'USER-1', attributes: { name: 'Ada' } };

describe('the owner', () => {
  it('is none in an order whose index takes no key of so long a target', async () => {
    const id = `USER-${'x'.repeat(1_008)}`;
    expect(await reader.inbound(id, 'FOR', { order: 'byHours', includeTarget: true })).toMatchObject({
      items: [],
      target: null,
    });
    expect(await reader.inbound(id, 'FOR', { includeTarget: true })).toMatchObject({ items: [], target: null });
  });

  it('comes with the newest edges, with what its view shows, in one Query and beside the limit', async () => {
    const { reader: counted, callsOf } = countingReader(graph, table.endpoint);
    for (const limit of [1, 3, 11, 12, 13, 100]) {
      const calls = await callsOf(async () => {
        const page = await counted.inbound('USER-1', 'FOR', { reverse: true, includeTarget: true, limit });
        expect(page.target).toEqual(ada);
        expect(sources(page)).toEqual(newest(Math.min(12, limit)));
        expect(page.cursor === undefined).toBe(limit >= 12);
      });
      expect(calls).toEqual({ QueryCommand: 1 });
    }
  });

  it('comes in every order, with a lower end, and of every type that the edges enter', async () => {
    const two = { ...backwards, limit: 2 };
    const hours = await reader.inbound('USER-1', 'FOR', { ...two, order: 'byHours', between: [11, undefined] });
    expect([hours.target, sources(hours)]).toEqual([ada, ['TICKET-11']]);
    const titles = await reader.inbound('USER-1', 'FOR', { ...two, order: 'gsi1' });
    expect([titles.target, sources(titles)]).toEqual([ada, ['TICKET-9', 'TICKET-8']]);
    const later = await reader.inbound('USER-1', 'FOR', { ...two, between: [day(30), undefined] });
    expect(later).toEqual({ items: [], target: ada });
    const team = await reader.inbound('TEAM-1', 'FOR', two);
    expect([team.target, sources(team)]).toEqual([{ id: 'TEAM-1', attributes: {} }, ['TICKET-1']]);
  });

  it('comes with the newest edges that pass a filter, which it need not pass', async () => {
    const page = await reader.inbound('USER-1', 'FOR', { ...backwards, where: { title: 't3' }, limit: 1 });
    expect([page.target, sources(page)]).toEqual([ada, ['TICKET-3']]);
  });

  it('is null where there is no such node, with and without edges', async () => {
    const gone = await reader.inbound('USER-gone', 'FOR', backwards);
    expect([gone.target, sources(gone)]).toEqual([null, ['TICKET-1']]);
    expect(await reader.inbound('USER-never', 'FOR', backwards)).toEqual({ items: [], target: null });
  });

  it('takes one Query more forwards, and where the range has an upper end', async () => {
    const { reader: counted, callsOf } = countingReader(graph, table.endpoint);
    const queries = [
      { includeTarget: true, limit: 2 },
      { includeTarget: true, limit: 2, reverse: true, between: [undefined, day(1)] },
      { includeTarget: true, limit: 2, reverse: true, equals: day(1) },
    ] as const;
    const expected = [['TICKET-0', 'TICKET-1'], ['TICKET-1', 'TICKET-0'], ['TICKET-1']];
    for (const [i, query] of queries.entries()) {
      const calls = await callsOf(async () => {
        const page = await counted.inbound('USER-1', 'FOR', query);
        expect([page.target, sources(page)]).toEqual([ada, expected[i]]);
      });
      expect(calls).toEqual({ QueryCommand: 2 });
    }
  });

  it('is on the first page only; the cursors of both ways to ask are the same', async () => {
    const first = await reader.inbound('USER-1', 'FOR', { reverse: true, includeTarget: true, limit: 5 });
    const second = await reader.inbound('USER-1', 'FOR', {
      reverse: true,
      includeTarget: true,
      limit: 5,
      cursor: first.cursor,
    });
    expect(second).not.toHaveProperty('target');
    const rest = await reader.inbound('USER-1', 'FOR', { reverse: true, limit: 5, cursor: second.cursor });
    expect([...sources(first), ...sources(second), ...sources(rest)]).toEqual(newest(12));
    expect(rest).not.toHaveProperty('cursor');
  });

  it('stands behind every edge, also behind texts as high as text can be', async () => {
    const page = await reader.inbound('USER-2', 'FOR', { order: 'gsi1', reverse: true, includeTarget: true, limit: 3 });
    expect(page.target).toEqual({ id: 'USER-2', attributes: { name: 'Grace' } });
    // In the order of code points: a beginning before what goes on from it.
    const expected = [...HIGH].sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
    const all = await reader.inbound('USER-2', 'FOR', { order: 'gsi1' });
    expect(all.items.map(({ attributes }) => attributes['title'])).toEqual(expected);
    expect(page.items.map(({ attributes }) => attributes['title'])).toEqual(expected.reverse().slice(0, 3));
  });

  it('is never among the edges where it is not asked for, whatever range, order, direction and limit', async () => {
    const hour = fc.option(fc.integer({ min: -1, max: 13 }), { nil: undefined });
    const query = fc.record({
      ...{ from: hour, to: hour, reverse: fc.boolean(), limit: fc.constantFrom(1, 2, 5, 11, 12, 13) },
      owner: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(query, async ({ from, to, reverse, limit, owner }) => {
        fc.pre(from === undefined || to === undefined || from <= to);
        const hours = Array.from({ length: 12 }, (_, i) => i).filter((i) => i >= (from ?? 0) && i <= (to ?? 11));
        if (reverse) hours.reverse();
        const owners: unknown[] = [];
        const pages = await allPages(async (cursor) => {
          const page = await reader.inbound('USER-1', 'FOR', {
            order: 'byHours',
            between: [from, to],
            reverse,
            limit,
            includeTarget: owner,
            cursor,
          });
          owners.push(page.target);
          return page;
        });
        expect(pages.flat().map(({ source }) => source)).toEqual(hours.map((i) => `TICKET-${i}`));
        // No page is short because of the owner, and none is empty after the first.
        for (const page of pages.slice(0, -1)) expect(page).toHaveLength(limit);
        expect(pages).toHaveLength(Math.max(1, Math.ceil(hours.length / limit)));
        expect(owners).toEqual([owner ? ada : undefined, ...pages.slice(1).map(() => undefined)]);
      }),
      { numRuns: 60 },
    );
  });

  it('is no neighbor of a page, and is refused where the model does not include it', async () => {
    const page = await reader.page('USER-1', 'FOR', { reverse: true, limit: 2 });
    expect(page.items.map(({ id }) => id)).toEqual(['TICKET-11', 'TICKET-10']);
    const open = reader as unknown as Reader<CompiledModel>;
    const fails = (code: string) => expect.objectContaining({ code });
    await expect(open.inbound('USER-1', 'SEEN', { includeTarget: true })).rejects.toThrow(
      expect.objectContaining({ code: 'not-declared', hint: expect.stringContaining('includeTarget') }),
    );
    const options = { includeTarget: true } as object;
    await expect(open.page('USER-1', 'FOR', options)).rejects.toThrow(fails('invalid-argument'));
  });
});

describe('the target item', () => {
  const own = () => openTable(tickets(uniqueTableName()));

  it('is what waitForProjection of its node looks at', async () => {
    const { writer, reader: reads, projectAll } = await own();
    await writer.putNode('USER-1', { name: 'Ada' });
    await expect(reads.waitForProjection('USER-1', { timeoutMs: 0 })).rejects.toThrow(
      /~ix\/#includeTarget\/FOR, ~ix\/#includeTarget\/FOR\/byHours/,
    );
    await projectAll();
    await reads.waitForProjection('USER-1', { timeoutMs: 0 });
    expect((await reads.inbound('USER-1', 'FOR', backwards)).target).toEqual(ada);
  });

  it('costs no write where nothing changes that its view shows', async () => {
    const { writer, projectAll, store } = await own();
    await writer.putNode('USER-1', { name: 'Ada' });
    await projectAll();
    const revision = async () =>
      (await store.get({ source: 'USER-1', target: '~ix/#includeTarget/FOR' }, { consistent: true })).item?.['r'];
    const before = await revision();
    await writer.putNode('USER-1', { name: 'Ada', note: 'not in the view' });
    await projectAll();
    expect(await revision()).toEqual(before);
  });

  it('is none of the edges that deleteNodeWithEdges deletes, also beside an edge of the node to itself', async () => {
    const { writer, projectAll, reader: reads } = await own();
    await writer.batch((batch) => {
      batch.putNode('USER-1', { name: 'Ada' });
      batch.putEdge('USER-1', 'FOR', 'USER-1', { opened: day(0), hours: 1 });
      for (let i = 0; i < 3; i++) batch.putEdge(`TICKET-${i}`, 'FOR', 'USER-1', { opened: day(i), hours: i });
    });
    await projectAll();
    expect(sources(await reads.inbound('USER-1', 'FOR', { order: 'byHours' }))).toHaveLength(4);
    expect(await writer.deleteNodeWithEdges('USER-1')).toMatchObject({ edges: 4, nodes: 1 });
    await projectAll();
    expect(await reads.inbound('USER-1', 'FOR', backwards)).toEqual({ items: [], target: null });
  });

  it('is checked and mended, and shows no more where the model has given up includeTarget', async () => {
    const { writer, projectAll, store, graph: model } = await own();
    await writer.putNode('USER-1', { name: 'Ada' });
    await writer.putNode('USER-2', { name: 'Grace' });
    await projectAll();
    const target = '~ix/#includeTarget/FOR';
    const { item } = await store.get({ source: 'USER-1', target }, { consistent: true });
    await store.put({ ...item!, attributes: { M: { name: { S: 'Eve' } } } });
    await store.delete({ source: 'USER-2', target: `${target}/byHours` });
    await store.put({ ...item!, source: { S: 'USER-9' } });
    const found = async (of: CompiledModel, mode: 'report' | 'repair') =>
      driftOf((await checkTools(of, store).run({ mode })).findings);
    const wrong = [`USER-1 ${target} stale`, `USER-2 ${target}/byHours missing`, `USER-9 ${target} orphan`];
    expect(await found(model, 'report')).toEqual(wrong);
    expect(await found(model, 'repair')).toEqual(wrong);
    expect(await found(model, 'report')).toEqual([]);
    const without = defineGraph({
      table: model.table.name,
      nodes: { USER: node({ view: ['name'] }) },
      edges: { FOR: edge({ from: 'USER', to: 'USER', inbound: { orders: { gsi0: date('opened') } } }) },
    });
    expect(await createReader(without, { store }).inbound('USER-1', 'FOR')).toEqual({ items: [] });
    expect(await found(without, 'report')).toHaveLength(4);
  });
});
