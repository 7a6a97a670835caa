import { beforeAll, describe, expect, it } from 'vitest';
import { changesOf } from '../../src/client/feed/changes-of.ts';
import type { FeedChange } from '../../src/client/feed/feed-change.ts';
import { createFeedModels } from '../../src/client/feed/feed-models.ts';
import { createReader } from '../../src/client/read/reader.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node, number } from '../../src/core/model/schema.ts';
import { FeedFollower, type FollowedRow } from '../support/feed-follower.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

/** Loans twice, natively and derived, and readers found by one attribute in both ways. */
const loan = { from: 'BOOK', to: 'READER', edgeSet: false, deletedWhen: 'void', expires: 'expiresAt' } as const;
const orders = { byDay: 'day', byFine: number('fine') } as const;
const graph = defineGraph({
  table: uniqueTableName(),
  nodes: {
    BOOK: node({}),
    READER: node({
      deletedWhen: 'left',
      search: {
        mail: { native: true, project: ['name'] },
        address: { attribute: 'mail', shards: 'value', project: ['name'] },
      },
    }),
  },
  edges: {
    LOAN: edge({ ...loan, degree: true, inbound: { native: true, orders, project: ['note'] } }),
    TWIN: edge({ ...loan, inbound: { orders, project: ['note'] } }),
    HASHED: edge({ ...loan, keys: 'hashed', inbound: { native: true, orders: { byDay: 'day' } } }),
  },
});

let table: Awaited<ReturnType<typeof testTable<typeof graph>>>;
let writer: ReturnType<typeof createWriter<typeof graph>>;
let reader: ReturnType<typeof createReader<typeof graph>>;

const BOOKS = ['BOOK-1', 'BOOK-2', 'BOOK-3'] as const;
const READERS = ['READER-1', 'READER-2'] as const;
const MAILS = ['ada@example.com', 'bo@example.com'];

/** All that a list shows or says of a row, without the names of the projection. */
const bare = ({ id, left, entered, attributes }: FollowedRow) => ({ id, left, entered, attributes });
const isOf =
  (type: string, order: string) =>
  (change: FeedChange): change is FollowedRow =>
    change.kind === 'list' && change.type === type && 'order' in change.list && change.list.order === order;
const isSearch =
  (search: string) =>
  (change: FeedChange): change is FollowedRow =>
    change.kind === 'search' && change.list.search === search;

let changes: FeedChange[];

beforeAll(async () => {
  table = await testTable(graph);
  writer = createWriter(graph, { store: table.store });
  reader = createReader(graph, { store: table.store });
  let state = 5;
  const one = <T>(of: readonly T[]): T => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return of[(state >> 8) % of.length]!;
  };
  for (let step = 0; step < 120; step++) {
    const [book, of] = [one(BOOKS), one(READERS)];
    const attributes = {
      ...one([{ day: one(['2026-01-01', '2026-01-02']) }, {}]),
      ...one([{ fine: one([-1, 2, 10]) }, {}]),
      ...one([{}, {}, { void: true }, { expiresAt: 4_102_444_800 }]),
      note: one(['a', 'b']),
    };
    const does = one(['put', 'put', 'put', 'delete', 'node', 'gone']);
    for (const type of ['LOAN', 'TWIN'] as const) {
      if (does === 'put') await writer.putEdge(book, type, of, attributes);
      if (does === 'delete') await writer.deleteEdge(book, type, of);
    }
    if (does === 'put') await writer.putEdge(book, 'HASHED', of, attributes);
    if (does === 'node')
      await writer.putNode(of, { mail: one(MAILS), name: one(['A', 'B']), ...one([{}, { left: true }]) });
    if (does === 'gone') await writer.deleteNode(of);
    // Each state is projected by itself, so that each has a change of the derived twin.
    await table.projectAll();
  }
  const model = await createFeedModels(graph, { store: table.store }).current();
  changes = (await table.rawRecords()).flatMap((record) => changesOf(model, record));
}, 120_000);

describe('the changes of native lists', () => {
  it.each(['byDay', 'byFine'])('are those of a derived twin, in the order %s', (order) => {
    const native = changes.filter(isOf('LOAN', order));
    const twin = changes.filter(isOf('TWIN', order));
    expect(native.length).toBeGreaterThan(20);
    for (const of of READERS) {
      for (const book of BOOKS) {
        const rowsOf = (rows: readonly FollowedRow[]) =>
          rows.filter((row) => row.id === book && 'inbound' in row.list && row.list.inbound[0] === of).map(bare);
        expect(rowsOf(native), `${book} ${of}`).toEqual(rowsOf(twin));
      }
    }
    expect(native.some(({ left, entered }) => left !== undefined && entered !== undefined)).toBe(true);
    expect(native.some(({ left, entered }) => left === undefined && entered === undefined)).toBe(true);
  });

  it('are those of a derived twin in searches', () => {
    const native = changes.filter(isSearch('READER.mail'));
    const twins = changes.filter(isSearch('READER.address'));
    expect(native.length).toBeGreaterThan(10);
    const shown = (row: FollowedRow) => [bare(row), row.kind === 'search' && row.value];
    for (const id of READERS)
      expect(native.filter((row) => row.id === id).map(shown)).toEqual(twins.filter((row) => row.id === id).map(shown));
  });

  it('have ids of their own, which come again with the record, and tell nothing twice', async () => {
    const ids = changes.map(({ eventId }) => eventId);
    expect(new Set(ids).size).toBe(ids.length);
    const model = await createFeedModels(graph, { store: table.store }).current();
    expect(
      (await table.rawRecords()).flatMap((record) => changesOf(model, record)).map(({ eventId }) => eventId),
    ).toEqual(ids);
  });

  it('make the same lists that a reader finds, however often and late they come', async () => {
    const follower = new FeedFollower();
    for (const [i, change] of changes.entries())
      for (const told of [change, changes[i - 3]]) if (told) follower.take(told);
    for (const of of READERS) {
      for (const order of ['byDay', 'byFine'] as const) {
        const { items } = await reader.inbound(of, 'LOAN', { order, includeExpired: true });
        const rows = follower.inbound(of, 'LOAN', order).map(({ id, attributes }) => ({ source: id, attributes }));
        const expected = items.map(({ source, attributes }) => ({ source, attributes }));
        const bySource = (left: { source: string }, right: { source: string }) => (left.source < right.source ? -1 : 1);
        expect(rows.sort(bySource), `${of} ${order}`).toEqual(expected.sort(bySource));
      }
    }
    for (const mail of MAILS) {
      const { items } = await reader.search('READER.mail').equals(mail);
      const hits = follower.hits('READER.mail').filter(({ value }) => value === mail);
      expect(hits.map(({ id, attributes }) => ({ id, attributes }))).toEqual(
        items.map(({ id, attributes }) => ({ id, attributes })),
      );
    }
  });

  it('name the list of hashed edges by the hash of their target', () => {
    const hashed = changes.filter(isOf('HASHED', 'byDay'));
    expect(hashed.length).toBeGreaterThan(5);
    expect(new Set(hashed.map((row) => 'inbound' in row.list && row.list.inbound[0])).size).toBe(READERS.length);
  });
});
