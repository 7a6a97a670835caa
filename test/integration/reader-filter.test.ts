import { beforeAll, describe, expect, it } from 'vitest';
import { createReader, type Reader } from '../../src/client/read/reader.ts';
import { createSession } from '../../src/client/session/session.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import type { Item } from '../../src/core/items/attribute-value.ts';
import { ExactNumber } from '../../src/core/items/plain.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { allPages, countingReader } from '../support/reader.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

const graph = defineGraph({
  table: uniqueTableName(),
  nodes: {
    TICKET: node({
      view: 'ALL',
      search: {
        dueDate: { type: 'date', shards: 8, project: ['status', 'points', 'urgent', 'title'] },
        title: { project: 'ALL', shards: 200 },
        status: {},
      },
    }),
    PROJECT: node({ view: ['name'] }),
  },
  edges: {
    IN: edge({
      from: 'TICKET',
      to: 'PROJECT',
      inbound: { orders: { gsi0: 'dueDate', byTitle: 'title' }, project: ['status', 'title'], includeTarget: true },
    }),
    LONG: edge({ from: 'TICKET', to: 'PROJECT', edgeSet: false, inbound: { orders: { gsi0: 'at' }, project: 'ALL' } }),
  },
});
// The types refuse what the tests for refusals ask.
const open = graph as CompiledModel;

const TICKETS = Array.from({ length: 200 }, (_, i) => {
  const id = `TICKET-${String(i).padStart(3, '0')}`;
  const status = i % 10 === 3 ? 'open' : 'closed';
  return {
    id,
    status,
    dueDate: `2026-01-01T00:${String(i % 60).padStart(2, '0')}:00Z`,
    title: `Ticket ${i}`,
    points: i,
  };
});
const OPEN = TICKETS.filter(({ status }) => status === 'open');

/** The ids of some tickets by their due date. */
function byDueDate(tickets: typeof TICKETS): string[] {
  return tickets
    .map(({ id, dueDate }) => `${dueDate} ${id}`)
    .sort()
    .map((text) => text.slice(text.indexOf(' ') + 1));
}

let table: Awaited<ReturnType<typeof testTable<typeof graph>>>;
let reader: Reader<typeof graph>;
let openReader: Reader;

beforeAll(async () => {
  table = await testTable(graph);
  const items = TICKETS.flatMap(({ id, status, dueDate, title, points }): Item[] => {
    const source = { S: id };
    const attributes = { status: { S: status }, dueDate: { S: dueDate }, title: { S: title } };
    return [
      { source, target: source, ...attributes, points: { N: `${points}.50` }, urgent: { BOOL: points === 3 } },
      { source, target: { S: 'IN-PROJECT-1' }, ...attributes },
      { source, target: { S: 'LONG-PROJECT-1' }, at: { S: id }, status: { S: status }, body: { S: 'x'.repeat(8_000) } },
    ];
  });
  items.push({ source: { S: 'PROJECT-1' }, target: { S: 'PROJECT-1' }, name: { S: 'Core' } });
  await table.store.writeMany(items.map((put) => ({ put })));
  await table.projectAll();
  reader = createReader(graph, { store: table.store });
  openReader = createReader(open, { store: table.store });
});

describe('where', () => {
  it('fills pages of incoming edges up to the limit with those that have the value', async () => {
    const pages = await allPages((cursor) =>
      reader.inbound('PROJECT-1', 'IN', { where: { status: 'open' }, limit: 7, cursor }),
    );
    expect(pages.map(({ length }) => length)).toEqual([7, 7, 6]);
    expect(pages.flat().map(({ source }) => source)).toEqual(byDueDate(OPEN));
    expect(pages.flat()[0]!.attributes.status).toBe('open');
    const reverse = await allPages((cursor) =>
      reader.inbound('PROJECT-1', 'IN', { where: { status: 'open' }, limit: 3, reverse: true, cursor }),
    );
    expect(reverse.flat().map(({ source }) => source)).toEqual(byDueDate(OPEN).reverse());
  });

  it('applies to every order, to a range of it, and to pages of nodes', async () => {
    const named = await reader.inbound('PROJECT-1', 'IN', { order: 'byTitle', where: { title: 'Ticket 33' } });
    expect(named.items.map(({ source }) => source)).toEqual(['TICKET-033']);
    const range = { between: ['2026-01-01T00:30:00Z', undefined], where: { status: 'open' } } as const;
    const { items } = await reader.inbound('PROJECT-1', 'IN', range);
    expect(items.map(({ source }) => source)).toEqual(
      byDueDate(OPEN.filter(({ dueDate }) => dueDate >= range.between[0])),
    );
    const page = await reader.page('PROJECT-1', 'IN', { where: { status: 'open' }, limit: 2, with: [] });
    expect(page.items.map(({ id }) => id)).toEqual(byDueDate(OPEN).slice(0, 2));
    await expect(reader.inbound('PROJECT-1', 'IN', { where: { status: 'open' }, cursor: page.cursor })).rejects.toThrow(
      expect.objectContaining({ code: 'invalid-cursor' }),
    );
  });

  it('filters a search over its shards, by texts, numbers in any form, booleans, and several at once', async () => {
    const found = async (where: object, limit = 100): Promise<string[]> =>
      (await allPages((cursor) => reader.search('TICKET.dueDate').all({ where, limit, cursor })))
        .flat()
        .map(({ id }) => id);
    expect(await found({ status: 'open' }, 3)).toEqual(byDueDate(OPEN));
    expect(await found({ points: 7.5 })).toEqual(['TICKET-007']);
    expect(await found({ points: new ExactNumber('75e-1') })).toEqual(['TICKET-007']);
    expect(await found({ points: '7.5' })).toEqual([]);
    expect(await found({ urgent: true, status: 'open' })).toEqual(['TICKET-003']);
    expect(await found({ urgent: true, status: 'closed' })).toEqual([]);
    expect(await found({ title: null })).toEqual([]);
    expect(await found({})).toHaveLength(200);
  });

  it('compares texts, numbers, lists of values and presence', async () => {
    const found = async (where: object): Promise<string[]> =>
      (await allPages((cursor) => reader.search('TICKET.dueDate').all({ where, limit: 30, cursor })))
        .flat()
        .map(({ id }) => id);
    const from = (test: (ticket: (typeof TICKETS)[number]) => boolean) => byDueDate(TICKETS.filter(test));
    // The points are stored as `7.50`.
    expect(await found({ points: { gte: 7.5, lt: 9.5 } })).toEqual(from(({ points }) => points === 7 || points === 8));
    expect(await found({ points: { between: [7.5, new ExactNumber('8.500')] } })).toEqual(
      await found({ points: { gt: 7, lte: 8.5 } }),
    );
    expect(await found({ title: { beginsWith: 'Ticket 19' } })).toEqual(
      from(({ title }) => title.startsWith('Ticket 19')),
    );
    expect(await found({ status: { not: 'closed' } })).toEqual(byDueDate(OPEN));
    expect(await found({ status: { in: ['open', 'none'] }, urgent: { exists: true } })).toEqual(byDueDate(OPEN));
    expect(await found({ status: { exists: false } })).toEqual([]);
    expect(await found({ points: { gt: '1' } })).toEqual([]);
    expect(await found({ points: { equals: 7.5 } })).toEqual(['TICKET-007']);
    expect(await found({ points: { not: { gte: 3, lt: 200 } } })).toEqual(from(({ points }) => points < 3));
    // A value of another type has no order, and neither has an absent one.
    expect(await found({ urgent: { not: { lt: 5 } } })).toHaveLength(200);
    for (const [note, hits] of [
      [{ lt: 5 }, 0],
      [{ not: { lt: 5 } }, 1],
      [{ not: 'x' }, 1],
    ] as const) {
      const { items } = await openReader.search('TICKET.title').equals('Ticket 7', { where: { note } });
      expect(items).toHaveLength(hits);
    }
  });

  it('gives the units that were consumed where they are asked for', async () => {
    const asked = { limit: 300, capacity: true };
    const whole = (await reader.inbound('PROJECT-1', 'IN', { ...asked, maxRcu: 100 })).capacity!;
    const where = { status: 'open' };
    const filtered = (await reader.inbound('PROJECT-1', 'IN', { ...asked, where })).capacity!;
    expect(await reader.inbound('PROJECT-1', 'IN', { limit: 3, where })).not.toHaveProperty('capacity');
    expect(whole.rcu).toBeGreaterThanOrEqual(4);
    expect(whole.rcu).toBeLessThan(8);
    // All of it is read; in a few calls more, each rounded up.
    expect(filtered.rcu).toBeGreaterThanOrEqual(whole.rcu);
    expect(filtered.rcu).toBeLessThanOrEqual(whole.rcu + 2);
    expect(await reader.search('TICKET.title').equals('Ticket 7', { capacity: true })).toMatchObject({
      capacity: { rcu: 0.5, wcu: 0 },
    });
  });

  it('leaves the owner behind the edges in', async () => {
    const where = { status: 'open' };
    const { target: owner, items } = await reader.inbound('PROJECT-1', 'IN', {
      where,
      includeTarget: true,
      reverse: true,
      limit: 1,
    });
    expect(owner).toEqual({ id: 'PROJECT-1', attributes: { name: 'Core' } });
    expect(items.map(({ source }) => source)).toEqual(byDueDate(OPEN).slice(-1));
  });

  it('is refused for attributes that are not projected and for values that cannot be compared', async () => {
    const refused = async (read: Promise<unknown>, code: string, message: string) =>
      await expect(read).rejects.toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }));
    const inbound = (where: object) => openReader.inbound('PROJECT-1', 'IN', { where: where as never });
    await refused(inbound({ points: 'x' }), 'not-projected', 'do not hold "points"');
    await refused(openReader.search('TICKET.status').all({ where: { points: 'x' } }), 'not-projected', 'TICKET.status');
    await refused(openReader.search('TICKET.title').all({ where: { source: 'x' } }), 'not-projected', '"source"');
    await refused(inbound({ status: undefined }), 'invalid-argument', 'status of where is undefined');
    await refused(inbound({ status: ['open'] }), 'invalid-argument', 'neither text, number');
    await refused(inbound({ status: Number.NaN }), 'invalid-argument', 'is NaN');
    await refused(inbound({ status: 'a\ud800' }), 'invalid-argument', 'status');
    await refused(inbound('status' as never), 'invalid-argument', 'should be an object');
    await refused(inbound({ status: {} }), 'invalid-argument', 'status of where has no comparison');
    await refused(inbound({ status: { like: 'o' } }), 'invalid-argument', 'has no comparison "like"');
    await refused(inbound({ status: { gt: undefined } }), 'invalid-argument', 'has gt, which is undefined');
    await refused(
      inbound({ status: { gt: true } }),
      'invalid-argument',
      'has gt, which is neither text, number nor binary',
    );
    await refused(
      inbound({ status: { beginsWith: 1 } }),
      'invalid-argument',
      'has beginsWith, which is neither text nor binary',
    );
    await refused(inbound({ status: { between: ['a'] } }), 'invalid-argument', 'has between: ');
    await refused(inbound({ status: { in: [] } }), 'invalid-argument', 'has in: ');
    await refused(inbound({ status: { in: [['a']] } }), 'invalid-argument', 'has in, which is neither text');
    await refused(inbound({ status: { exists: 'yes' } }), 'invalid-argument', 'has exists: "yes"');
    await refused(inbound({ status: { not: {} } }), 'invalid-argument', 'has no comparison');
    await refused(inbound({ status: { not: { not: 'a' } } }), 'invalid-argument', 'has no comparison "not"');
    const hintOf = async (where: object) =>
      inbound(where).then(String, (error: unknown) => (error as { hint: string }).hint);
    expect(await hintOf({ statsu: 'open' })).toMatch(/^Did you mean status\? They hold status, title, dueDate\./);
    expect(await hintOf({ status: { beginWith: 'o' } })).toMatch(/^Did you mean beginsWith\? There are equals, lt, /);
    const many = Array.from({ length: 101 }, (_, i) => `${i}`);
    await refused(inbound({ status: { in: many } }), 'invalid-argument', 'compares with 101 values');
    await refused(inbound({ status: { not: { in: many } } }), 'invalid-argument', 'compares with 101 values');
    await inbound({ status: { in: many.slice(1) } });
    await refused(openReader.inDegree('PROJECT-1', 'IN', { where: {} } as never), 'unknown-option', 'where');
  });

  it('belongs to the cursor, in whatever order and form its values are given', async () => {
    const search = reader.search('TICKET.dueDate');
    const { cursor } = await search.all({ where: { status: 'closed', urgent: false }, limit: 1 });
    await search.all({ where: { urgent: false, status: 'closed' }, limit: 2, cursor, maxRcu: 20 });
    const invalid = expect.objectContaining({ code: 'invalid-cursor' });
    for (const where of [{ status: 'closed' }, { status: 'open', urgent: false }, {}, undefined]) {
      await expect(search.all({ where, cursor })).rejects.toThrow(invalid);
    }
    const ranged = await search.all({
      where: { points: { gte: 1, lt: 100, not: { gt: 5, lt: 7 } }, status: { in: ['closed', 'x'] } },
      limit: 1,
    });
    await search.all({
      where: { status: { in: ['x', 'closed'] }, points: { not: { lt: 7, gt: 5.0 }, lt: 100, gte: 1.0 } },
      cursor: ranged.cursor,
    });
    for (const where of [
      { points: { gte: 1, lt: 100 } },
      { points: { gte: 1, lt: 100, not: { gt: 5, lt: 8 } }, status: { in: ['closed', 'x'] } },
    ]) {
      await expect(search.all({ where, cursor: ranged.cursor })).rejects.toThrow(invalid);
    }
    const { cursor: unfiltered } = await search.all({ limit: 1 });
    await search.all({ where: {}, cursor: unfiltered });
    await expect(search.all({ where: { status: 'open' }, cursor: unfiltered })).rejects.toThrow(invalid);
  });

  it("shows a session's own writes as they are filtered", async () => {
    const session = createSession();
    const writer = createWriter(graph, { store: table.store }).with(session);
    await writer.updateEdge('TICKET-003', 'IN', 'PROJECT-1', { set: { status: 'closed' } });
    await writer.updateEdge('TICKET-004', 'IN', 'PROJECT-1', { set: { status: 'open' } });
    const expected = byDueDate([...OPEN, TICKETS[4]!].filter(({ id }) => id !== 'TICKET-003'));
    const pages = await allPages((cursor) =>
      reader.with(session).inbound('PROJECT-1', 'IN', { where: { status: 'open' }, limit: 4, cursor }),
    );
    expect(pages.flat().map(({ source }) => source)).toEqual(expected);
    for (const page of pages.slice(0, -1)) expect(page).toHaveLength(4);
    const compared = await reader.with(session).inbound('PROJECT-1', 'IN', {
      where: { status: { beginsWith: 'op' }, title: { in: ['Ticket 3', 'Ticket 4'] } },
    });
    expect(compared.items.map(({ source }) => source)).toEqual(['TICKET-004']);
  });
});

describe('maxRcu', () => {
  it('ends a filtered page at 50 units, with a cursor that goes on', async () => {
    const { reader: counted, callsOf } = countingReader(graph, table.endpoint);
    const ids: string[] = [];
    const units: number[] = [];
    let cursor: string | undefined;
    const calls = await callsOf(async () => {
      do {
        const page = await counted.inbound('PROJECT-1', 'LONG', {
          where: { status: 'open' },
          limit: 100,
          cursor,
          capacity: true,
        });
        ids.push(...page.items.map(({ source }) => source));
        units.push(page.capacity!.rcu);
        cursor = page.cursor;
      } while (cursor !== undefined);
    });
    expect(ids).toEqual(OPEN.map(({ id }) => id));
    // 200 items of 8 KB.
    expect(units.length).toBeGreaterThanOrEqual(4);
    for (const rcu of units) expect(rcu).toBeLessThanOrEqual(50);
    for (const rcu of units.slice(0, -1)) expect(rcu).toBeGreaterThan(45);
    expect(calls['QueryCommand']).toBeLessThanOrEqual(4 * units.length);
  });

  it('bounds a page without where, and has no default for it', async () => {
    const whole = await reader.inbound('PROJECT-1', 'LONG', { limit: 200 });
    expect(whole.items).toHaveLength(200);
    const bounded = await reader.inbound('PROJECT-1', 'LONG', { limit: 200, maxRcu: 20, capacity: true });
    expect(bounded.capacity!.rcu).toBeLessThanOrEqual(20);
    expect(bounded.items.length).toBeGreaterThan(10);
    expect(bounded.cursor).toBeTypeOf('string');
  });

  it('is at least half a unit for each partition, which the default is as well', async () => {
    const where = { status: 'open' };
    const found = await reader.search('TICKET.title').all({ where, limit: 100, capacity: true });
    const { items, capacity, cursor } = found;
    // 200 shards, each with an item or none.
    expect(capacity!.rcu).toBeLessThanOrEqual(100);
    expect(items).toHaveLength(20);
    expect(cursor).toBeUndefined();
    for (const maxRcu of [99, 0, -1, Number.NaN, '100']) {
      await expect(reader.search('TICKET.title').all({ maxRcu: maxRcu as number })).rejects.toThrow(
        expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining('takes 100') }),
      );
    }
    await expect(reader.inbound('PROJECT-1', 'IN', { maxRcu: 0.4 })).rejects.toThrow('takes 0.5');
  });
});
