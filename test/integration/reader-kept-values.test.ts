import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createReader, type Reader } from '../../src/client/read/reader.ts';
import { createSession } from '../../src/client/session/session.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import type { CompiledModel } from '../../src/core/model/compiled.ts';
import { date, derive, edge, node, number, part, rank, source } from '../../src/core/model/schema.ts';
import { countingReader } from '../support/reader.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

const graph = defineGraph({
  table: uniqueTableName(),
  nodes: {
    TASK: node({
      fields: z.object({
        status: z.enum(['open', 'done']),
        title: z.string(),
        points: z.number(),
        tags: z.array(z.enum(['red', 'green'])),
        due: z.string(),
        town: z.string(),
      }),
      view: ['title'],
      parts: { STATE: part({ fields: z.object({ mood: z.enum(['GOOD', 'BAD']) }) }) },
      search: {
        title: { caseInsensitive: true, shards: 2 },
        points: { type: 'number', shards: 1 },
        due: { type: 'date', shards: 1 },
        tags: { multiValue: true, shards: 1 },
        status: { shards: 1 },
        folded: { attribute: 'status', caseInsensitive: true, shards: 1 },
        place: { path: ['status', 'town'], caseInsensitive: true, shards: 1 },
        first: { attribute: derive(({ title }: { title: string }) => title.charAt(0)), shards: 1 },
        town: { native: true },
      },
    }),
    USER: node({ view: 'ALL' }),
  },
  edges: {
    HAS: edge({
      fields: z.object({
        role: z.enum(['LEAD', 'HELPER']),
        size: z.number(),
        day: z.string(),
        note: z.string(),
        seen: z.string(),
      }),
      from: 'TASK',
      to: 'USER',
      edgeSet: { role: 'role', day: 'day' },
      inbound: {
        orders: {
          byRole: rank('role', { LEAD: 2, HELPER: 1 }),
          byNote: 'note',
          bySize: number('size'),
          byDate: date('day'),
          byStatus: [source('status'), number('size'), 'note'],
          byMood: [source('STATE.mood')],
          byRoleText: 'role',
        },
        project: ['seen'],
        includeTarget: true,
      },
    }),
    LOAN: edge({
      from: 'TASK',
      to: 'USER',
      edgeSet: ['kind'],
      inbound: { native: true, orders: { byDay: 'day', byFine: number('fine') } },
    }),
    RANKED: edge({
      from: 'TASK',
      to: 'USER',
      edgeSet: ['grade'],
      inbound: { orders: { gsi0: rank('grade', { HIGH: 2, LOW: 1 }) } },
    }),
    BARE: edge({ from: 'TASK', to: 'USER' }),
    LONG: edge({ from: 'TASK', to: 'USER', edgeSet: false, inbound: { orders: { gsi0: 'at' }, project: 'ALL' } }),
  },
});

const NOTES = ['a', 'b\u0000c', 'b\u0001', 'b\u0002c', '\u{10ffff}', 'z'];
const SIZES = [-1.5, -12, 0, 7, 0.001, 123456789012];
const at = <T>(list: readonly T[], i: number): T => list[i % list.length]!;
const TASKS = Array.from({ length: 12 }, (_, i) => ({
  id: `TASK-${i}` as const,
  edge: {
    role: at(['LEAD', 'HELPER'] as const, i),
    size: at(SIZES, i),
    note: at(NOTES, i),
    day: '2026-01-01',
    seen: 'x',
  },
  node: {
    ...{ status: at(['open', 'done'] as const, Math.floor(i / 2)), title: `T${i % 3}`, points: i, due: '2026-01-02' },
    ...{ tags: ['red' as const], town: at(['Rome', 'Oslo'], i) },
  },
}));

let table: Awaited<ReturnType<typeof testTable<typeof graph>>>;
let reader: Reader<typeof graph>;
let open: Reader;

beforeAll(async () => {
  table = await testTable(graph);
  const writer = createWriter(graph, { store: table.store });
  for (const { id, edge: attributes, node: own } of TASKS) {
    await writer.putNode(id, own);
    await writer.putPart(id, 'STATE', { mood: 'GOOD' });
    await writer.putEdge(id, 'HAS', 'USER-1', attributes);
    await writer.putEdge(id, 'LOAN', 'USER-1', { day: attributes.note, fine: attributes.size, kind: 'K' });
  }
  await writer.putNode('USER-1', { name: 'Ada' });
  await table.projectAll();
  reader = createReader(graph, { store: table.store });
  open = createReader(graph as CompiledModel, { store: table.store });
});

/** The ids of the tasks that pass, in any order. */
function tasks(passes: (task: (typeof TASKS)[number]) => boolean): string[] {
  return TASKS.filter(passes)
    .map(({ id }) => id as string)
    .sort();
}

describe('where on what a list is ordered by', () => {
  const sources = async (read: Promise<{ items: { source: string }[] }>): Promise<string[]> =>
    (await read).items.map(({ source: id }) => id).sort();
  const ids = async (read: Promise<{ items: { id: string }[] }>): Promise<string[]> =>
    (await read).items.map(({ id }) => id).sort();

  it('compares the label of a rank, a text and a number', async () => {
    const has = (order: 'byRole' | 'byNote' | 'bySize', where: object) =>
      sources(open.inbound('USER-1', 'HAS', { order, where: where as never }));
    expect(await has('byRole', { role: 'LEAD' })).toEqual(tasks((task) => task.edge.role === 'LEAD'));
    for (const note of NOTES) expect(await has('byNote', { note })).toEqual(tasks((task) => task.edge.note === note));
    for (const size of SIZES) {
      expect(await has('bySize', { size })).toEqual(tasks((task) => task.edge.size === size));
      expect(await has('bySize', { size: { gte: size } })).toEqual(tasks((task) => task.edge.size >= size));
    }
    expect(await has('byNote', { note: { not: 'a' }, seen: 'x' })).toEqual(tasks((task) => task.edge.note !== 'a'));
    expect(await has('byNote', { note: 'a', seen: 'y' })).toEqual([]);
  });

  it('compares each value of an order by several', async () => {
    const where = { status: 'done', note: { in: NOTES.slice(0, 4) }, size: { lt: 1 } } as const;
    const found = await sources(reader.inbound('USER-1', 'HAS', { order: 'byStatus', where }));
    const expected = tasks(
      (task) => task.node.status === 'done' && where.note.in.includes(task.edge.note) && task.edge.size < 1,
    );
    expect(expected.length).toBeGreaterThan(0);
    expect(found).toEqual(expected);
    expect(await ids(reader.page('USER-1', 'HAS', { order: 'byStatus', where, with: [] }))).toEqual(expected);
  });

  it('goes on by cursor, whatever the limit, with the target and in both directions', async () => {
    for (const reverse of [false, true]) {
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await reader.inbound('USER-1', 'HAS', {
          ...{ order: 'byNote', where: { note: { in: ['a', 'z'] } }, limit: 1, includeTarget: true, reverse, cursor },
        });
        if (cursor === undefined) expect(page.target?.id).toBe('USER-1');
        found.push(...page.items.map(({ source: id }) => id));
        ({ cursor } = page);
      } while (cursor !== undefined);
      expect(found.sort()).toEqual(tasks((task) => ['a', 'z'].includes(task.edge.note)));
    }
  });

  it('compares the rows of native lists, which hold the attribute', async () => {
    const loans = (order: string, where: object) => sources(open.inbound('USER-1', 'LOAN', { order, where }));
    for (const note of NOTES)
      expect(await loans('byDay', { day: note })).toEqual(tasks((task) => task.edge.note === note));
    for (const size of SIZES)
      expect(await loans('byFine', { fine: size })).toEqual(tasks((task) => task.edge.size === size));
    expect(await ids(reader.search('TASK.town').equals('Rome', { where: { town: 'Rome' } }))).toHaveLength(6);
    expect(await ids(open.search('TASK.town').equals('Rome', { where: { town: 'rome' } }))).toEqual([]);
  });

  it('compares what a search shows, as it was written', async () => {
    expect(await ids(reader.search('TASK.title').beginsWith('t', { where: { title: 'T1' } }))).toHaveLength(4);
    expect(await ids(reader.search('TASK.title').beginsWith('t', { where: { title: 't1' } }))).toEqual([]);
    for (const [beginsWith, hits] of [
      ['T', 12],
      ['t', 0],
      ['1', 0],
    ] as const)
      expect(await ids(open.search('TASK.title').all({ where: { title: { beginsWith } } }))).toHaveLength(hits);
    expect(await ids(reader.search('TASK.points').all({ where: { points: { gte: 10 } } }))).toHaveLength(2);
    expect(await ids(reader.search('TASK.due').all({ where: { due: '2026-01-02' } }))).toHaveLength(12);
    expect(await ids(reader.search('TASK.place').path([], { where: { town: 'Oslo', status: 'open' } }))).toEqual(
      tasks((task) => task.node.town === 'Oslo' && task.node.status === 'open'),
    );
  });

  it('holds for the writes of a session', async () => {
    const session = createSession();
    const writer = createWriter(graph, { store: table.store }).with(session);
    await writer.putEdge('TASK-99', 'HAS', 'USER-1', {
      role: 'LEAD',
      size: 99,
      note: 'own',
      day: '2026-01-01',
      seen: 'x',
    });
    const own = reader.with(session);
    const found = await sources(own.inbound('USER-1', 'HAS', { order: 'byNote', where: { note: 'own' } }));
    expect(found).toEqual(['TASK-99']);
    expect(await sources(own.inbound('USER-1', 'HAS', { order: 'byNote', where: { note: 'no' } }))).toEqual([]);
    await writer.deleteEdge('TASK-99', 'HAS', 'USER-1');
  });

  it('is refused where the key holds another form, and where another order holds it', async () => {
    const refused = { code: 'not-declared' };
    await expect(
      open.inbound('USER-1', 'HAS', { order: 'byDate', where: { day: '2026-01-01' } }),
    ).rejects.toMatchObject(refused);
    await expect(open.inbound('USER-1', 'HAS', { order: 'byNote', where: { size: 1 } })).rejects.toMatchObject({
      ...refused,
      hint: expect.stringContaining('They hold seen, note.'),
    });
    await expect(open.search('TASK.tags').all({ where: { tags: 'red' } })).rejects.toMatchObject(refused);
    await expect(open.search('TASK.first').all({ where: { title: 'T1' } })).rejects.toMatchObject(refused);
  });
});

describe('where', () => {
  const inbound = (where: object) => open.inbound('USER-1', 'HAS', { order: 'byNote', where: where as never });

  it('is refused for attributes that are not projected and for values that cannot be compared', async () => {
    const refused = async (read: Promise<unknown>, code: string, message: string) =>
      await expect(read).rejects.toThrow(expect.objectContaining({ code, message: expect.stringContaining(message) }));
    await refused(inbound({ points: 'x' }), 'not-declared', 'do not hold "points"');
    await refused(open.search('TASK.status').all({ where: { points: 'x' } }), 'not-declared', 'TASK.status');
    await refused(open.search('TASK.title').all({ where: { source: 'x' } }), 'not-declared', '"source"');
    await refused(inbound('seen' as never), 'invalid-argument', 'should be an object');
    const many = Array.from({ length: 101 }, (_, i) => `${i}`);
    const values: [seen: unknown, message: string][] = [
      [undefined, 'seen of where is undefined'],
      [['x'], 'neither text, number'],
      [Number.NaN, 'is NaN'],
      ['a\ud800', 'seen'],
      [{}, 'seen of where has no comparison'],
      [{ like: 'o' }, 'has no comparison "like"'],
      [{ gt: undefined }, 'has gt, which is undefined'],
      [{ gt: true }, 'has gt, which is neither text, number nor binary'],
      [{ beginsWith: 1 }, 'has beginsWith, which is neither text nor binary'],
      [{ between: ['a'] }, 'has between: ["a"].'],
      [{ in: [] }, 'has in: [].'],
      [{ in: [['a']] }, 'has in, which is neither text'],
      [{ exists: 'yes' }, 'has exists: "yes"'],
      [{ not: {} }, 'has no comparison'],
      [{ not: { not: 'a' } }, 'has no comparison "not"'],
      [{ in: many }, 'compares with 101 values'],
      [{ not: { in: many } }, 'compares with 101 values'],
    ];
    for (const [seen, message] of values) await refused(inbound({ seen }), 'invalid-argument', message);
    await inbound({ seen: { in: many.slice(1) } });
    const hintOf = async (where: object) =>
      inbound(where).then(String, (error: unknown) => (error as { hint: string }).hint);
    expect(await hintOf({ sene: 'x' })).toMatch(/^Did you mean seen\? They hold seen, note\./);
    expect(await hintOf({ seen: { beginWith: 'o' } })).toMatch(/^Did you mean beginsWith\? There are equals, lt, /);
    await refused(open.inDegree('USER-1', 'HAS', { where: {} } as never), 'invalid-argument', 'where');
  });

  it('ends a page at 50 units, with a cursor that goes on, in few calls, and is alone in that', async () => {
    const rows = Array.from({ length: 120 }, (_, i) => ({
      id: `TASK-long${String(i).padStart(3, '0')}`,
      status: i % 10 === 3 ? 'open' : 'done',
    }));
    const puts = rows.map(({ id, status }) => ({
      put: {
        ...{ source: { S: id }, target: { S: 'LONG-USER-1' }, at: { S: id } },
        ...{ status: { S: status }, body: { S: 'x'.repeat(8_000) } },
      },
    }));
    await table.store.writeMany(puts);
    await table.projectAll();
    const { reader: counted, callsOf } = countingReader(graph as CompiledModel, table.endpoint);
    const found: string[] = [];
    const units: number[] = [];
    let cursor: string | undefined;
    const calls = await callsOf(async () => {
      do {
        const page = await counted.inbound('USER-1', 'LONG', {
          where: { status: 'open' },
          limit: 100,
          cursor,
          capacity: true,
        });
        found.push(...page.items.map(({ source: id }) => id));
        units.push(page.capacity!.rcu);
        ({ cursor } = page);
      } while (cursor !== undefined);
    });
    expect(found).toEqual(rows.filter(({ status }) => status === 'open').map(({ id }) => id));
    // 120 items of 8 KB.
    expect(units.length).toBeGreaterThanOrEqual(3);
    for (const rcu of units) expect(rcu).toBeLessThanOrEqual(50);
    for (const rcu of units.slice(0, -1)) expect(rcu).toBeGreaterThan(45);
    expect(calls['QueryCommand']).toBeLessThanOrEqual(4 * units.length);
    // A list without it has no bound of its own.
    const whole = await counted.inbound('USER-1', 'LONG', { limit: 200 });
    expect(whole.items).toHaveLength(rows.length);
    const bounded = await counted.inbound('USER-1', 'LONG', { limit: 200, maxRcu: 20, capacity: true });
    expect(bounded.capacity!.rcu).toBeLessThanOrEqual(20);
    expect(bounded.items.length).toBeGreaterThan(10);
    expect(bounded.cursor).toBeTypeOf('string');
  });

  it('belongs to the cursor, in whatever order its values are given', async () => {
    const asked = { order: 'byStatus', limit: 1 } as const;
    const list = (where: object | undefined, cursor?: string) =>
      open.inbound('USER-1', 'HAS', { ...asked, where: where as never, cursor });
    const size = { gte: -20, lt: 1e12, not: { gt: 5, lt: 7 } };
    const { cursor } = await list({ size, status: { in: ['done', 'x'] } });
    await list({ status: { in: ['x', 'done'] }, size: { not: { lt: 7, gt: 5 }, lt: 1e12, gte: -20 } }, cursor);
    for (const where of [{ size }, { size: { ...size, not: { gt: 5, lt: 8 } }, status: { in: ['done', 'x'] } }, {}])
      await expect(list(where, cursor)).rejects.toMatchObject({ code: 'invalid-cursor' });
    const { cursor: unfiltered } = await list(undefined);
    await list({}, unfiltered);
    await expect(list({ status: 'done' }, unfiltered)).rejects.toMatchObject({ code: 'invalid-cursor' });
  });
});

describe('a value that the model does not declare', () => {
  const refused = async (read: Promise<unknown>, message: string, hint: string): Promise<void> =>
    await expect(read).rejects.toMatchObject({
      ...{ code: 'unknown-name', message: expect.stringContaining(message), hint: expect.stringContaining(hint) },
    });

  it('is refused with the nearest one', async () => {
    const inbound = (options: object) => open.inbound('USER-1', 'HAS', options);
    await refused(
      inbound({ order: 'byStatus', path: ['opne'] }),
      '"opne", which its fields do not have',
      'Did you mean open?',
    );
    await refused(inbound({ order: 'byMood', path: ['GODO'] }), 'path of order byMood', 'Did you mean GOOD?');
    await refused(inbound({ order: 'byRoleText', equals: 'LEED' }), 'equals of order byRoleText', 'Did you mean LEAD?');
    await refused(inbound({ order: 'byRole', equals: 'LEED' }), 'no declared rank', 'Did you mean LEAD?');
    await refused(open.inDegree('USER-1', 'HAS', { order: 'byRoleText', equals: 'LEED' }), 'LEED', 'LEAD, HELPER');
    await refused(open.search('TASK.status').equals('opne'), 'search TASK.status', 'Did you mean open?');
    await refused(open.search('TASK.folded').equals('Opne'), 'search TASK.folded', 'Did you mean open?');
    await refused(open.search('TASK.tags').equals('blue'), 'search TASK.tags', 'red, green');
    await refused(open.search('TASK.place').path(['opne']), 'search TASK.place', 'Did you mean open?');
    await refused(
      open.search('TASK.place').find({ path: ['opne'], beginsWith: 'O' }),
      'TASK.place',
      'Did you mean open?',
    );
    expect((await open.search('TASK.folded').equals('OPEN')).items).toHaveLength(6);
    expect((await open.search('TASK.status').between('a', 'opne')).items).toHaveLength(12);
    expect((await inbound({ order: 'byRoleText', atLeast: 'HF' })).items).toHaveLength(6);
  });

  it('is refused as a label of an edge set', async () => {
    const page = (...levels: unknown[]) => open.page('USER-1', 'HAS', { order: 'byNote', with: levels as never });
    await refused(page('RANKED:HIHG'), 'No label of RANKED (grade) is "HIHG"', 'Did you mean HIGH?');
    await refused(page({ edge: 'RANKED', label: 'HIHG' }), '"HIHG"', 'The model declares HIGH, LOW.');
    await refused(page({ type: 'BARE', label: 'X' }), 'BARE have no labels', 'edges.BARE.edgeSet');
    // A day may be any text, and a kind is declared nowhere.
    expect((await page('HAS:2026-01-01', 'LOAN:K', 'LOAN:other', 'RANKED:HIGH')).items).toHaveLength(12);
  });
});

describe('two questions at once', () => {
  it('are refused in a sentence', async () => {
    const both = {
      code: 'invalid-argument',
      message: expect.stringContaining('one of equals, atLeast, path, beginsWith and between'),
    };
    const asked = [
      { order: 'byRole', equals: 'LEAD', atLeast: 'HELPER' },
      { order: 'byNote', equals: 'a', beginsWith: 'a' },
      { order: 'byNote', between: ['a', 'b'], beginsWith: 'a' },
      { order: 'byNote', atLeast: 'a', beginsWith: 'a' },
    ] as const;
    for (const options of asked) {
      await expect(open.inbound('USER-1', 'HAS', options)).rejects.toMatchObject(both);
      await expect(open.page('USER-1', 'HAS', options)).rejects.toMatchObject(both);
      await expect(open.inDegree('USER-1', 'HAS', options)).rejects.toMatchObject(both);
    }
    const none = { code: 'invalid-argument', message: expect.stringContaining('has no meaning: it is ordered by a') };
    for (const order of ['byRole', 'bySize'])
      await expect(open.inbound('USER-1', 'HAS', { order, beginsWith: '1' })).rejects.toMatchObject(none);
    const nativeNumber = open.inbound('USER-1', 'LOAN', { order: 'byFine', beginsWith: '1' });
    await expect(nativeNumber).rejects.toMatchObject(none);
  });

  it('and shards of a native list, which has no keys of its own', () => {
    const native = { native: true, shards: 3 } as object;
    const inbound = { ...native, orders: { byDay: 'day' } } as object;
    const define = () =>
      defineGraph({
        table: 'records',
        nodes: { USER: node({ search: { mail: native } as object }) },
        edges: { HAS: edge({ from: 'USER', to: 'USER', inbound }) },
      });
    expect(define).toThrow(expect.objectContaining({ code: 'invalid-model' }));
    expect(define).toThrow(/edges\.HAS\.inbound\.shards.*native/s);
    expect(define).toThrow(/nodes\.USER\.search\.mail\.shards.*native/s);
  });
});
