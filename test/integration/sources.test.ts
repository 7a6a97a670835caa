import { beforeAll, describe, expect, it } from 'vitest';
import { createReader, type Reader } from '../../src/client/read/reader.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { date, edge, node, number, rank } from '../../src/core/model/schema.ts';
import { check } from '../../src/trust/check/check.ts';
import { allPages } from '../support/reader.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

/** Claims of the sources that need a table, each by its number in docs/project/claims.md. */

const graph = defineGraph({
  table: uniqueTableName(),
  nodes: {
    DOC: node({ view: ['title'], search: { body: { shards: 'value' }, tags: { multiValue: true, shards: 'value' } } }),
    USER: node({ view: ['email'] }),
    EMAIL: node({ view: 'ALL' }),
  },
  edges: {
    TAGGED: edge({
      from: 'DOC',
      to: 'USER',
      inbound: {
        orders: {
          gsi0: 'title',
          gsi1: date('date'),
          byStatus: [rank('status', { OPEN: 20, DONE: 10 }), 'title'],
          byNumber: ['title', number('size')],
        },
        project: ['title'],
      },
    }),
  },
});
let table: Awaited<ReturnType<typeof testTable<typeof graph>>>;
let reader: Reader<typeof graph>;

const TITLES = ['a', 'a\u0000b', 'a\u0001', 'ab', 'abc', 'b', 'ba', 'ä', '🙂'] as const;
const STATUSES = ['OPEN', 'DONE'] as const;
const ROWS = TITLES.flatMap((title, i) =>
  STATUSES.map((status, j) => ({
    id: `DOC-${i}.${j}` as const,
    title,
    status,
    size: i * 10 + j - 40,
    date: `2026-0${1 + (i % 9)}-1${j}`,
  })),
);
const bytes = (text: string): Buffer => Buffer.from(text, 'utf8');
const compare = (left: string, right: string): number => Buffer.compare(bytes(left), bytes(right));

beforeAll(async () => {
  table = await testTable(graph);
  reader = createReader(graph, { store: table.store });
  const writer = createWriter(graph, { store: table.store });
  await writer.batch((batch) => {
    for (const { id, title, status, size, date } of ROWS) {
      batch.putEdge(id, 'TAGGED', 'USER-1', { title, status, size, date: `${date}T00:00:00Z` });
    }
  });
  expect((await table.projectAll()).quarantined).toBe(0);
});

type Asked = NonNullable<Parameters<typeof reader.inbound<'TAGGED', 'USER-1', string & never>>[2]>;
async function ids(options: object): Promise<string[]> {
  const { items } = await reader.inbound('USER-1', 'TAGGED', options as Asked);
  return items.map(({ source }) => source);
}

describe('K16: edges by a prefix, or between two values', () => {
  const titled = (accept: (title: string) => boolean): string[] =>
    ROWS.filter(({ title }) => accept(title))
      .sort((left, right) => compare(left.title, right.title) || compare(left.id, right.id))
      .map(({ id }) => id);

  it('in an order by a text, and by a date', async () => {
    for (const beginsWith of ['a', 'ab', 'ä', 'x', '']) {
      expect(await ids({ beginsWith })).toEqual(titled((title) => title.startsWith(beginsWith)));
      expect(await ids({ beginsWith, reverse: true })).toEqual(
        titled((title) => title.startsWith(beginsWith)).reverse(),
      );
    }
    expect((await ids({ order: 'gsi1', beginsWith: '2026-03' })).sort()).toEqual(['DOC-2.0', 'DOC-2.1']);
  });

  it('in an order by several values: of the first, or of the next behind leading ones', async () => {
    for (const status of STATUSES) {
      const own = (accept: (title: string) => boolean): string[] =>
        titled(accept).filter((id) => id.endsWith(status === 'OPEN' ? '.0' : '.1'));
      const of = { order: 'byStatus', path: [status] };
      for (const [from, to] of [
        ['a', 'b'],
        ['ab', undefined],
        [undefined, 'a\u0001'],
        ['a\u0000b', 'a\u0000b'],
      ] as const) {
        const expected = own(
          (title) => (from === undefined || compare(title, from) >= 0) && (to === undefined || compare(title, to) <= 0),
        );
        expect(await ids({ ...of, between: [from, to] })).toEqual(expected);
      }
      for (const beginsWith of ['a', 'ab', '🙂']) {
        expect(await ids({ ...of, beginsWith })).toEqual(own((title) => title.startsWith(beginsWith)));
      }
    }
    expect(await ids({ order: 'byStatus', between: ['DONE', 'DONE'] })).toHaveLength(TITLES.length);
    expect(await ids({ order: 'byStatus', between: ['DONE', 'OPEN'] })).toHaveLength(ROWS.length);
    expect(await ids({ order: 'byNumber', path: ['a'], between: [-40, -40] })).toEqual(['DOC-0.0']);
    expect(await ids({ order: 'byNumber', path: ['a'], between: [-39.5, undefined] })).toEqual(['DOC-0.1']);
    expect((await reader.inDegree('USER-1', 'TAGGED', { beginsWith: 'ab' })).count).toBe(4);
  });

  it('leaves out, behind leading values, edges that lack the next one', async () => {
    const writer = createWriter(graph, { store: table.store });
    const titles: Record<string, string | undefined> = {
      lacking: undefined,
      empty: '',
      nul: '\u0000',
      early: 'a',
      late: 'c',
    };
    for (const [id, title] of Object.entries(titles)) {
      await writer.putEdge(`DOC-${id}`, 'TAGGED', 'USER-2', { status: 'OPEN', ...(title !== undefined && { title }) });
    }
    await table.projectAll();
    const found = async (options: object): Promise<string[]> => {
      const asked = { order: 'byStatus', path: ['OPEN'], ...options } as object as Asked;
      const { items } = await reader.inbound('USER-2', 'TAGGED', asked);
      expect((await reader.inDegree('USER-2', 'TAGGED', asked as Asked)).count).toBe(items.length);
      return items.map(({ source }) => source.slice('DOC-'.length));
    };
    expect(await found({})).toEqual(['lacking', 'empty', 'nul', 'early', 'late']);
    expect(await found({ between: [undefined, 'b'] })).toEqual(['empty', 'nul', 'early']);
    expect(await found({ between: ['', undefined] })).toEqual(['empty', 'nul', 'early', 'late']);
    expect(await found({ between: ['', ''] })).toEqual(['empty']);
    expect(await found({ beginsWith: '' })).toEqual(['empty', 'nul', 'early', 'late']);
    expect(await found({ beginsWith: 'a' })).toEqual(['early']);
  });

  it('refuses what has no meaning', async () => {
    const refused = [
      { order: 'byStatus', beginsWith: 'O' },
      { order: 'byStatus', path: ['OPEN', 'a'], between: ['b', undefined] },
      { order: 'byNumber', path: ['a'], beginsWith: '1' },
      { beginsWith: 'a', between: ['b', undefined] },
      { beginsWith: 'a', path: ['b'] },
      { order: 'byStatus', path: ['OPEN'], beginsWith: 'a', between: ['b', undefined] },
      { order: 'byStatus', path: ['OPEN'], between: ['b', 'a'] },
      { order: 'gsi1', beginsWith: '2026-13' },
    ];
    for (const options of refused) {
      await expect(ids(options)).rejects.toThrow(expect.objectContaining({ code: 'invalid-argument' }));
    }
  });
});

describe("T21: a large value is in the partition key by its hash (shards: 'value')", () => {
  it('is found by eq beyond 1,024 bytes, page by page, and judged right', async () => {
    const writer = createWriter(graph, { store: table.store });
    const body = 'x'.repeat(150_000);
    const sizes = [500, 513, 1_000, 1_024, 1_025, 5_000];
    for (const size of sizes) await writer.putNode(`DOC-${size}`, { body: 'y'.repeat(size) });
    for (let i = 0; i < 5; i++) await writer.putNode(`DOC-large${i}`, { body, tags: ['short', `tag ${body}`] });
    await writer.putNode('DOC-other', { body: `${body}z` });
    expect((await table.projectAll()).quarantined).toBe(0);
    for (const size of sizes) {
      const { items } = await reader.search('DOC.body').equals('y'.repeat(size));
      expect(items.map(({ id }) => id)).toEqual([`DOC-${size}`]);
    }
    const pages = await allPages((cursor) => reader.search('DOC.body').equals(body, { limit: 2, cursor }));
    expect(pages.map((page) => page.map(({ id }) => id))).toEqual([
      ['DOC-large0', 'DOC-large1'],
      ['DOC-large2', 'DOC-large3'],
      ['DOC-large4'],
    ]);
    expect(pages[0]![0]!.value).toBe(body);
    expect((await reader.search('DOC.body').count({ equals: body })).count).toBe(5);
    expect((await reader.search('DOC.tags').equals(`tag ${body}`)).items).toHaveLength(5);
    const { cursor } = await reader.search('DOC.body').equals(body, { limit: 2 });
    const elsewhere = reader.search('DOC.body').equals(`${body}z`, { limit: 2, cursor });
    await expect(elsewhere).rejects.toThrow(expect.objectContaining({ code: 'invalid-cursor' }));
    await writer.putNode('DOC-large0', { body: 'short now' });
    await table.projectAll();
    expect((await reader.search('DOC.body').count({ equals: body })).count).toBe(4);
    expect((await check(graph, { store: table.store, graceMs: 0 })).drift).toEqual({
      missing: 0,
      stale: 0,
      orphan: 0,
    });
  });

  it('is refused where no sort key holds it beside the id, and its hash would not be found', async () => {
    const writer = createWriter(graph, { store: table.store });
    const id = `DOC-${'i'.repeat(600)}` as const;
    const writing = writer.putNode(id, { body: 'v'.repeat(512) });
    await expect(writing).rejects.toThrow(expect.objectContaining({ code: 'invalid-attribute' }));
    await writer.putNode(id, { body: 'v'.repeat(513) });
    await table.projectAll();
    const { items } = await reader.search('DOC.body').equals('v'.repeat(513));
    expect(items.map((item) => item.id)).toEqual([id]);
  });
});

describe('D17: an attribute is unique by a recipe', () => {
  it('is claimed with its node in one transaction, and can be changed and given back', async () => {
    const writer = createWriter(graph, { store: table.store });
    const signUp = (id: `USER-${string}`, email: string) =>
      writer.transact((each) => {
        each.putNode(`EMAIL-${email}`, { of: id }, { ifAbsent: true });
        each.putNode(id, { email }, { ifAbsent: true });
      });
    await signUp('USER-ada', 'ada@example.com');
    await expect(signUp('USER-eve', 'ada@example.com')).rejects.toThrow();
    expect(await reader.getNode('USER-eve')).toBeNull();
    await writer.transact((each) => {
      each.putNode('EMAIL-lovelace@example.com', { of: 'USER-ada' }, { ifAbsent: true });
      each.deleteNode('EMAIL-ada@example.com', { if: { of: 'USER-ada' } });
      each.updateNode('USER-ada', { set: { email: 'lovelace@example.com' } });
    });
    await signUp('USER-eve', 'ada@example.com');
    expect((await reader.getNode('USER-eve', { consistent: true }))!.attributes).toEqual({ email: 'ada@example.com' });
    const tries = Array.from({ length: 8 }, (_, i) => signUp(`USER-racer${i}`, 'one@example.com'));
    const done = (await Promise.allSettled(tries)).filter(({ status }) => status === 'fulfilled');
    expect(done).toHaveLength(1);
  });
});
