import { beforeAll, describe, expect, it } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import { createSession } from '../../src/client/session/session.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { withReplacedCalls } from '../../src/store/wrapped.ts';
import { allPages } from '../support/reader.ts';
import { openTable, uniqueTableName } from '../support/table.ts';

/** Lists whose index shows none of a session's writes yet: the session merges them in. */

function library(isNative: boolean) {
  return defineGraph({
    table: uniqueTableName(),
    nodes: { BOOK: node({ list: true, view: ['title'] }), READER: node() },
    edges: {
      LOAN: edge({
        from: 'BOOK',
        to: 'READER',
        edgeSet: false,
        inbound: { native: isNative, orders: { byDay: 'day' }, project: ['day', 'desk'], shards: isNative ? 1 : 3 },
      }),
    },
  });
}

const LOANS = {
  'BOOK-a': { day: '01', desk: 1 },
  'BOOK-b': { day: '02', desk: 2 },
  'BOOK-c': { day: '03', desk: 1 },
  'BOOK-d': { day: '04', desk: 2 },
  'BOOK-e': { day: '05', desk: 1 },
  'BOOK-f': { day: '06', desk: 2 },
} as const;
/** By the day, once the session has deleted b, moved c to the end, changed the desk of d, and added g, h and z. */
const EXPECTED = [
  { source: 'BOOK-a', day: '01', desk: 1 },
  { source: 'BOOK-g', day: '02', desk: 2 },
  { source: 'BOOK-d', day: '04', desk: 1 },
  { source: 'BOOK-h', day: '045', desk: 2 },
  { source: 'BOOK-e', day: '05', desk: 1 },
  { source: 'BOOK-f', day: '06', desk: 2 },
  { source: 'BOOK-c', day: '07', desk: 1 },
  { source: 'BOOK-z', day: '08', desk: 1 },
];

describe.each([{ kind: 'derived' }, { kind: 'native' }])("a session's writes in a $kind order", ({ kind }) => {
  const isNative = kind === 'native';
  let reader: ReturnType<typeof createReader<ReturnType<typeof library>>>;
  let session: ReturnType<typeof createSession>;

  beforeAll(async () => {
    const [table, before] = [await openTable(library(isNative)), await openTable(library(isNative))];
    for (const { writer, projectAll } of [table, before]) {
      for (const [book, loan] of Object.entries(LOANS))
        await writer.putEdge(book as 'BOOK-a', 'LOAN', 'READER-1', loan);
      await projectAll();
    }
    session = createSession();
    const own = table.writer.with(session);
    await own.deleteEdge('BOOK-b', 'LOAN', 'READER-1');
    await own.putEdge('BOOK-c', 'LOAN', 'READER-1', { day: '07', desk: 1 });
    await own.putEdge('BOOK-d', 'LOAN', 'READER-1', { day: '04', desk: 1 });
    await own.putEdge('BOOK-g', 'LOAN', 'READER-1', { day: '02', desk: 2 });
    await own.putEdge('BOOK-h', 'LOAN', 'READER-1', { day: '045', desk: 2 });
    await own.putEdge('BOOK-z', 'LOAN', 'READER-1', { day: '08', desk: 1 });
    await own.putEdge('BOOK-x', 'LOAN', 'READER-2', { day: '03', desk: 1 });
    // The native index of the other table has none of these writes, as an index that lags behind.
    const queryNative = before.store.queryNative.bind(before.store);
    const store = withReplacedCalls(table.store, { queryNative });
    reader = createReader(table.graph, { store }).with(session);
  });

  const listed = (query: object) =>
    allPages((cursor) => reader.inbound('READER-1', 'LOAN', { ...query, cursor })).then((pages) =>
      pages.flat().map(({ source, attributes }) => ({ source, ...attributes })),
    );

  it.each([1, 2, 3, 5, 20])('are merged in before a page of %i is cut, in both directions', async (limit) => {
    expect(await listed({ limit })).toEqual(EXPECTED);
    expect(await listed({ limit, reverse: true })).toEqual(EXPECTED.toReversed());
  });

  it.each([1, 2, 20])('are filtered like the other rows, in pages of %i', async (limit) => {
    const atDesk = EXPECTED.filter(({ desk }) => desk === 2);
    expect(await listed({ limit, where: { desk: 2 } })).toEqual(atDesk);
    expect(await listed({ limit, where: { desk: 2 }, reverse: true })).toEqual(atDesk.toReversed());
  });

  it('are in the ranges that they belong to', async () => {
    const between = { between: ['02', '045'] };
    expect(await listed(between)).toEqual(EXPECTED.slice(1, 4));
    expect(await listed({ ...between, limit: 1 })).toEqual(EXPECTED.slice(1, 4));
    expect(await listed({ equals: '03' })).toEqual([]);
    expect(await listed({ equals: '07' })).toEqual(EXPECTED.slice(6, 7));
  });

  it('do not reach a reader without the session', async () => {
    const stale = Object.entries(LOANS).map(([source]) => source);
    const without = reader.with(createSession());
    expect((await without.inbound('READER-1', 'LOAN')).items.map(({ source }) => source)).toEqual(stale);
  });
});
