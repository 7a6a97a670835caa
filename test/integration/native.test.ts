import { beforeAll, describe, expect, it } from 'vitest';
import { createSession } from '../../src/client/session/session.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, number } from '../../src/core/model/schema.ts';
import { allPages } from '../support/reader.ts';
import { openTable, uniqueTableName } from '../support/table.ts';

/** Loans of a library: a native order by text with ties, one by number, and readers found by their mail natively. */
const library = (table: string) =>
  defineGraph({
    table,
    nodes: {
      BOOK: node({ deletedWhen: 'withdrawn' }),
      READER: node({ search: { mail: { native: true, project: ['name'] }, card: { native: true, type: 'number' } } }),
    },
    edges: {
      LOAN: edge({
        from: 'BOOK',
        to: 'READER',
        edgeSet: false,
        deletedWhen: 'void',
        degree: true,
        inbound: { native: true, orders: { byDay: 'day', byFine: number('fine') }, project: ['day'] },
      }),
    },
  });

const graph = library(uniqueTableName());
const LOANS = Array.from({ length: 23 }, (_, i) => ({
  book: `BOOK-${String(i).padStart(2, '0')}` as const,
  day: `2026-01-0${1 + (i % 4)}`,
  fine: ((i * 7) % 11) - 5,
}));

let table: Awaited<ReturnType<typeof openTable<typeof graph>>>;
let reader: (typeof table)['reader'];
let writer: (typeof table)['writer'];

beforeAll(async () => {
  table = await openTable(graph);
  ({ reader, writer } = table);
  for (const { book, ...attributes } of LOANS) await writer.putEdge(book, 'LOAN', 'READER-1', attributes);
  await writer.putEdge('BOOK-void', 'LOAN', 'READER-1', { day: '2026-01-02', void: true });
  await writer.putEdge('BOOK-nameless', 'LOAN', 'READER-1', {});
  await writer.putEdge('BOOK-00', 'LOAN', 'READER-2', { day: '2026-01-01', fine: 3 });
  await writer.putNode('READER-1', { mail: 'ada@example.com', name: 'Ada', card: 17 });
  await writer.putNode('READER-2', { mail: 'ada@example.com', name: 'Eda', card: 18 });
  await writer.putNode('BOOK-00', { mail: 'ada@example.com' });
});

const booksOf = (items: readonly { source: string }[]) => items.map(({ source }) => source);
const sortedBooks = (loans: readonly { book: string }[]) => loans.map(({ book }) => book).sort();

describe('native orders', () => {
  it('are answered before anything is projected, in pages, in both directions', async () => {
    for (const reverse of [false, true]) {
      for (const limit of [1, 2, 5, 30]) {
        const pages = await allPages((cursor) => reader.inbound('READER-1', 'LOAN', { limit, reverse, cursor }));
        const all = pages.flat();
        expect(pages.slice(0, -1).every(({ length }) => length === limit)).toBe(true);
        expect(sortedBooks(LOANS)).toEqual(booksOf(all).sort());
        const days = all.map(({ attributes }) => attributes.day!);
        expect(days).toEqual(reverse ? days.toSorted().reverse() : days.toSorted());
      }
    }
  });

  it('take the ranges of derived ones', async () => {
    const loansOf = async (options: object) =>
      booksOf((await reader.inbound('READER-1', 'LOAN', options)).items).sort();
    const expected = (keep: (loan: (typeof LOANS)[number]) => boolean) => sortedBooks(LOANS.filter(keep));
    expect(await loansOf({ equals: '2026-01-02' })).toEqual(expected(({ day }) => day === '2026-01-02'));
    expect(await loansOf({ atLeast: '2026-01-03' })).toEqual(expected(({ day }) => day >= '2026-01-03'));
    expect(await loansOf({ beginsWith: '2026-01-0' })).toEqual(expected(() => true));
    expect(await loansOf({ beginsWith: '2026-02' })).toEqual([]);
    expect(await loansOf({ between: ['2026-01-02', '2026-01-03'] })).toEqual(
      expected(({ day }) => day === '2026-01-02' || day === '2026-01-03'),
    );
    expect(await loansOf({ order: 'byFine', between: [-2, 3] })).toEqual(
      expected(({ fine }) => fine >= -2 && fine <= 3),
    );
    expect(await loansOf({ order: 'byFine', atLeast: 0 })).toEqual(expected(({ fine }) => fine >= 0));
    // As in a derived order, a number may be given as a text, with spaces.
    expect(await loansOf({ order: 'byFine', equals: ' 3.0 ' })).toEqual(expected(({ fine }) => fine === 3));
    expect(await loansOf({ equals: '' })).toEqual([]);
    expect(await loansOf({ between: ['', '2026-01-01'] })).toEqual(expected(({ day }) => day === '2026-01-01'));
    expect(await loansOf({ where: { day: '2026-01-04' } })).toEqual(expected(({ day }) => day === '2026-01-04'));
    expect((await reader.inDegree('READER-1', 'LOAN', { atLeast: '2026-01-03' })).count).toBe(
      LOANS.filter(({ day }) => day >= '2026-01-03').length,
    );
  });

  it('show an own write once, also if the session lets go of it between two pages', async () => {
    let now = Date.now();
    const session = createSession({ now: () => now, lowWatermark: async () => now, indexGraceMs: 0 });
    const loans = ['BOOK-a', 'BOOK-b', 'BOOK-c'] as const;
    for (const book of loans.slice(1)) await writer.putEdge(book, 'LOAN', 'READER-5', { day: '2026-01-05' });
    await writer.with(session).putEdge('BOOK-a', 'LOAN', 'READER-5', { day: '2026-01-05' });
    const pages = await allPages(async (cursor) => {
      const page = await reader.with(session).inbound('READER-5', 'LOAN', { limit: 1, cursor });
      now += 60_000;
      return page;
    });
    expect(session.keys()).toEqual([]);
    expect(booksOf(pages.flat())[0]).toBe('BOOK-a');
    expect(booksOf(pages.flat()).sort()).toEqual(loans);
    for (const book of loans) await writer.deleteEdge(book, 'LOAN', 'READER-5');
  });

  it('leave items alone that are no edges of the model when a node is deleted with its edges', async () => {
    const foreign = { source: { S: 'SHELF-1' }, target: { S: 'LOAN-READER-6' }, day: { S: '2026-01-05' } };
    await table.store.put(foreign);
    await writer.putEdge('BOOK-leaving', 'LOAN', 'READER-6', { day: '2026-02-01' });
    expect(await writer.deleteNodeWithEdges('READER-6')).toMatchObject({ edges: 1 });
    expect((await table.store.get({ source: 'SHELF-1', target: 'LOAN-READER-6' }, { consistent: true })).item).toEqual(
      foreign,
    );
    await table.store.delete({ source: 'SHELF-1', target: 'LOAN-READER-6' });
  });
});

describe('native searches', () => {
  it('answer equality by text and number, and for their own type alone', async () => {
    const byMail = reader.search('READER.mail');
    const byCard = reader.search('READER.card');
    const pages = await allPages((cursor) => byMail.equals('ada@example.com', { limit: 1, cursor }));
    expect(pages.flat()).toEqual([
      { id: 'READER-1', value: 'ada@example.com', attributes: { name: 'Ada' } },
      { id: 'READER-2', value: 'ada@example.com', attributes: { name: 'Eda' } },
    ]);
    expect(await byCard.equals(17)).toMatchObject({ items: [{ id: 'READER-1', value: 17 }] });
    expect((await byMail.count({ equals: 'ada@example.com' })).count).toBe(2);
    expect((await byMail.equals('')).items).toEqual([]);
    expect((await byMail.equals('x'.repeat(3000))).items).toEqual([]);
  });

  it('answer no ranges', async () => {
    // @ts-expect-error the types know no ranges of it
    await expect(reader.search('READER.mail').beginsWith('a')).rejects.toThrow('it is native');
  });
});

describe('days in an order by text', () => {
  const DAYS = defineGraph({
    table: uniqueTableName(),
    nodes: {
      TASK: node({ search: { due: { shards: 1 }, place: { path: ['state', 'due'], shards: 1 } } }),
      USER: node(),
    },
    edges: {
      NATIVE: edge({ from: 'TASK', to: 'USER', inbound: { native: true, orders: { byDue: 'due' } } }),
      DERIVED: edge({ from: 'TASK', to: 'USER', inbound: { orders: { byDue: 'due', byState: ['state', 'due'] } } }),
    },
  });
  const DUE = [
    ...['2026-01-01T23:59:59.999Z', '2026-01-02', '2026-01-02T00:00:00.000Z', '2026-01-02T07:05:29.017Z'],
    ...['2026-01-02T23:59:59.999Z', '2026-01-03', '2026-01-03T00:00:00.000Z', '2026-01-1'],
  ];
  const within = (low: string | undefined, high: string) =>
    DUE.filter((due) => (low === undefined || due >= low) && (due <= high || due.startsWith(high)));

  it('are whole as the end of a range, in derived and native orders and in searches', async () => {
    const { writer: days, reader: read, projectAll } = await openTable(DAYS);
    for (const [i, due] of DUE.entries()) {
      await days.putNode(`TASK-${i}`, { due, state: 'open' });
      for (const type of ['NATIVE', 'DERIVED'] as const)
        await days.putEdge(`TASK-${i}`, type, 'USER-1', { due, state: 'open' });
    }
    await projectAll();
    const ids = (items: readonly { source?: string; id?: string }[]) =>
      items.map(({ source, id }) => DUE[Number((source ?? id)!.slice('TASK-'.length))]);
    for (const [low, high] of [
      [undefined, '2026-01-02'],
      ['2026-01-02', '2026-01-02'],
      ['2026-01-02T01', '2026-01-02'],
      ['2026-01-01', '2026-01-03'],
      ['2026-01-02', '2026-01-02T07:05:29.017Z'],
    ] as const) {
      const between = [low, high] as const;
      const expected = within(low, high);
      for (const type of ['NATIVE', 'DERIVED'] as const) {
        expect(ids((await read.inbound('USER-1', type, { between })).items)).toEqual(expected);
        expect((await read.inDegree('USER-1', type, { between })).count).toBe(expected.length);
      }
      const byState = { order: 'byState', path: ['open'], between } as const;
      expect(ids((await read.inbound('USER-1', 'DERIVED', byState)).items)).toEqual(expected);
      expect(ids((await read.search('TASK.due').between(low, high)).items)).toEqual(expected);
      expect(ids((await read.search('TASK.place').find({ path: ['open'], between })).items)).toEqual(expected);
    }
  });
});
