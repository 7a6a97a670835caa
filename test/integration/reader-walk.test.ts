import { beforeAll, describe, expect, it } from 'vitest';
import { createReader } from '../../src/client/read/reader.ts';
import { createWriter } from '../../src/client/write/writer.ts';
import { defineGraph } from '../../src/core/model/compile/define-graph.ts';
import { edge, node } from '../../src/core/model/schema.ts';
import { evolvingTable } from '../support/migrating-table.ts';
import { allPages, countingReader } from '../support/reader.ts';
import { testTable, uniqueTableName } from '../support/table.ts';

const SHARDS = 50;
const USERS = 1_500;
const END = 4_000_000_000;

const graph = defineGraph({
  table: uniqueTableName(),
  nodes: {
    USER: node({
      view: ['name'],
      list: true,
      expires: 'expiresAt',
      search: { name: { shards: SHARDS, project: ['name'] } },
    }),
    TEAM: node(),
  },
  edges: {
    MEMBER: edge({
      from: 'USER',
      to: 'TEAM',
      inbound: { orders: { bySince: 'since' }, shards: 20, shardBy: 'source' },
    }),
    LOAN: edge({ from: 'USER', to: 'TEAM', inbound: { native: true, orders: { byDay: 'day' } } }),
  },
});

let table: Awaited<ReturnType<typeof testTable<typeof graph>>>;
beforeAll(async () => {
  table = await testTable(graph);
  const writer = createWriter(graph, { store: table.store });
  const numbers = Array.from({ length: USERS }, (_, i) => i);
  await writer.putMany(
    numbers.map((i) => ({ id: `USER-${i}`, attributes: { name: nameOf(i), expiresAt: END } }) as const),
  );
  const of = (type: 'MEMBER' | 'LOAN', attribute: string) =>
    numbers.slice(0, 400).map((i) => ({
      ...({ source: `USER-${i}`, type, target: 'TEAM-1' } as const),
      attributes: { [attribute]: nameOf(i) },
    }));
  await writer.putMany([...of('MEMBER', 'since'), ...of('LOAN', 'day')]);
  await table.projectAll();
});

/** No order of the names is that of the ids. */
function nameOf(i: number): string {
  return `name ${(i * 7_919) % 100_003}`;
}

type Read = (cursor: string | undefined) => Promise<{
  items: object[];
  cursor?: string;
  capacity?: { rcu: number };
}>;

/** A list read by a walk, and by its cursors: what came, and what that took. */
async function bothWays(readOf: (reader: ReturnType<typeof countingReader<typeof graph>>['reader']) => Read) {
  const { reader, callsOf } = countingReader(graph, table.endpoint);
  const way = async (go: (read: Read) => Promise<unknown>) => {
    const items: object[] = [];
    let rcu = 0;
    const read: Read = async (cursor) => {
      const page = await readOf(reader)(cursor);
      items.push(...page.items);
      rcu += page.capacity!.rcu;
      return page;
    };
    const { QueryCommand: queries } = await callsOf(() => go(read));
    return { items, rcu, queries: queries! };
  };
  const walk = await way(async (read) => {
    for await (const _ of reader.pages(read));
  });
  return { walk, cursors: await way(allPages) };
}

describe('a walk', () => {
  it('through a search asks each shard once for what the first pages need, and then for 100 hits at a time', async () => {
    const { walk, cursors } = await bothWays((reader) => (cursor) => {
      return reader.search('USER.name').all({ cursor, capacity: true });
    });
    expect(walk.items).toHaveLength(USERS);
    expect(walk.items).toEqual(cursors.items);
    // By cursors each of 15 pages asks all shards.
    expect(cursors).toMatchObject({ rcu: 0.5 * 15 * SHARDS, queries: 15 * SHARDS });
    expect(walk.queries).toBeLessThanOrEqual(2 * SHARDS);
    expect(walk.rcu).toBeLessThanOrEqual(0.5 * SHARDS + USERS / 50);
  });

  it.each([
    ['a native list', (reader) => (cursor) => reader.inbound('TEAM-1', 'LOAN', { cursor, capacity: true })],
    ['a page', (reader) => (cursor) => reader.page('TEAM-1', 'MEMBER', { cursor, capacity: true, with: [] })],
    ['nodes of a type', (reader) => (cursor) => reader.nodes('USER', { cursor, capacity: true })],
  ] as [string, Parameters<typeof bothWays>[0]][])(
    'through %s gives what its cursors give, for no more',
    async (_, read) => {
      const { walk, cursors } = await bothWays(read);
      expect(walk.items.length).toBeGreaterThanOrEqual(100);
      expect(walk.items).toEqual(cursors.items);
      expect(walk.rcu).toBeLessThanOrEqual(cursors.rcu);
    },
  );

  it('shows nothing that is over by the time of its page', async () => {
    let now = Date.now();
    const reader = createReader(graph, { store: table.store, now: () => now });
    const pages: number[] = [];
    for await (const { items } of reader.pages((cursor) => reader.search('USER.name').all({ cursor }))) {
      pages.push(items.length);
      now = END * 1_000;
    }
    expect(pages).toEqual([100, 0]);
  });

  it('goes on where the list lies after a change of the model', async () => {
    const modelOf = (name: string, shards: number) =>
      defineGraph({ table: name, nodes: { USER: node({ search: { name: { shards } } }) } });
    const changing = await evolvingTable((name) => ({ before: modelOf(name, 3), after: modelOf(name, 5) }));
    const { before, after, store, passLease, migrate, reader: readerOf, projectAll } = changing;
    const writer = createWriter(before, { store });
    await migrate(before);
    const ids = Array.from({ length: 60 }, (_, i) => `USER-${i}` as const);
    await writer.putMany(ids.map((id) => ({ id, attributes: { name: id } })));
    await projectAll();
    const reader = readerOf(before);
    const found: string[] = [];
    for await (const { items } of reader.pages((cursor) => reader.search('USER.name').all({ cursor, limit: 20 }))) {
      found.push(...items.map(({ id }) => id));
      if (found.length !== 20) continue;
      await migrate(after);
      passLease();
    }
    expect(found).toEqual([...ids].sort());
  });
});
