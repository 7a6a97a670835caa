import { createHash, randomUUID } from 'node:crypto';
import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { hashLayout } from '../../bench/friends/layouts/hash.ts';
import { LAYOUTS } from '../../bench/friends/layouts/index.ts';
import type { Layout } from '../../bench/friends/layouts/layout.ts';
import { MeteredTable } from '../../bench/friends/table.ts';
import { seededRandom } from '../../bench/support/random.ts';
import { canonicalText, type Item, itemSizeBytes } from '../../src/core/items/attribute-value.ts';
import { createClient } from '../../src/store/client.ts';
import { testEndpoint } from '../support/engine.ts';
import { uniqueTableName } from '../support/table.ts';

const KILOBYTE = 1024;
/** Enough that a shared item is billed several units, for a read as for a write. */
const FRIENDS = 200;

async function friendTable(layout: Layout) {
  const client = createClient({ endpoint: testEndpoint() });
  const table = new MeteredTable(client, uniqueTableName(), layout.key);
  await table.create();
  const scan = async (): Promise<string[]> => {
    const { Items } = await client.send(new ScanCommand({ TableName: table.name, ConsistentRead: true }));
    return texts((Items ?? []) as Item[]);
  };
  return { table, scan };
}

function texts(items: readonly Item[]): string[] {
  return items.map((item) => canonicalText({ M: item })).sort();
}

function userId(): string {
  return `USER-${randomUUID()}`;
}

describe.each(LAYOUTS.map((layout) => [layout.name, layout] as const))('the layout %s', (_name, layout) => {
  it('does with a friend list what a set does', async () => {
    const { table } = await friendTable(layout);
    const random = seededRandom(7);
    // An id that ends where another begins must not be taken for both together.
    const users = ['USER-1', 'USER-11', 'USER-111'];
    const friends = ['USER-1', 'USER-11', '1USER-1', 'USER-2', 'USER-a.b', 'USER-🙂'];
    const lists = new Map(users.map((user) => [user, new Set<string>()]));
    for (let step = 0; step < 250; step++) {
      const user = users[random.below(users.length)]!;
      const friend = friends[random.below(friends.length)]!;
      const list = lists.get(user)!;
      if (random.below(2) === 0) {
        await layout.remove(table, user, friend);
        list.delete(friend);
      } else if (!list.has(friend)) {
        await layout.add(table, user, friend);
        list.add(friend);
      }
      // The others are asked about now and then: what a step does to one of them stays.
      for (const asked of step % 10 === 9 ? friends : [friend])
        expect([step, asked, await layout.has(table, user, asked)]).toEqual([step, asked, list.has(asked)]);
    }
    for (const [user, list] of lists) {
      for (const friend of friends) expect(await layout.has(table, user, friend)).toBe(list.has(friend));
      expect((await layout.list(table, user)).sort()).toEqual([...list].sort());
    }
  });

  it('stores what `items` says, so that set-up in batches makes the same lists', async () => {
    const { table, scan } = await friendTable(layout);
    const [user, ...friends] = Array.from({ length: 40 }, userId) as [string, ...string[]];
    for (const friend of friends) await layout.add(table, user, friend);
    expect(await scan()).toEqual(texts(layout.items(user, friends)));
    const other = await friendTable(layout);
    await other.table.writeMany(layout.items(user, friends), []);
    for (const friend of [...friends].reverse()) {
      expect(await layout.has(other.table, user, friend)).toBe(true);
      await layout.remove(other.table, user, friend);
      expect(await layout.has(other.table, user, friend)).toBe(false);
    }
  });

  it('costs what DynamoDB bills: whole items, projected reads included', async () => {
    const { table } = await friendTable(layout);
    const [user, added, ...friends] = Array.from({ length: FRIENDS }, userId) as [string, string, ...string[]];
    await table.writeMany(layout.items(user, friends), []);
    const readsFirst = layout.name === 'default' || layout.name === 'count';
    const before = itemFor(layout, user, friends, friends[0]!);
    const after = itemFor(layout, user, [...friends, added], added);
    const none = layout.itemPer === 'friend' ? 0 : itemSizeBytes(before);
    const check = await table.measure(() => layout.has(table, user, friends[0]!));
    expect(check.cost).toMatchObject({ rcu: readUnits(itemSizeBytes(before)), wcu: 0 });
    const miss = await table.measure(() => layout.has(table, user, added));
    expect(miss.cost).toMatchObject({ rcu: readUnits(none), wcu: 0 });
    const add = await table.measure(() => layout.add(table, user, added));
    expect(add.cost).toMatchObject({ rcu: readsFirst ? readUnits(none) : 0, wcu: writeUnits(itemSizeBytes(after)) });
    const remove = await table.measure(() => layout.remove(table, user, added));
    expect(remove.cost).toMatchObject({
      rcu: readsFirst ? readUnits(itemSizeBytes(after)) : 0,
      wcu: writeUnits(itemSizeBytes(after)),
    });
  });

  it('moves a whole list only where it has to look through it', async () => {
    const { table } = await friendTable(layout);
    const [user, added, ...friends] = Array.from({ length: FRIENDS }, userId) as [string, string, ...string[]];
    await table.writeMany(layout.items(user, friends), []);
    const listBytes = FRIENDS * added.length;
    const bytes = {
      check: (await table.measure(() => layout.has(table, user, friends[0]!))).cost.bytes,
      add: (await table.measure(() => layout.add(table, user, added))).cost.bytes,
      remove: (await table.measure(() => layout.remove(table, user, friends[0]!))).cost.bytes,
    };
    const moves = Object.fromEntries(
      Object.entries(bytes).map(([operation, moved]) => [
        operation,
        moved > listBytes ? 'O(n)' : moved < 300 ? 'O(1)' : moved,
      ]),
    );
    expect(moves).toEqual(layout.claims);
  });
});

describe('two writers of one list', () => {
  it.each(['default', 'count'])('turns the later one away in the layout %s', async (name) => {
    const layout = LAYOUTS.find((each) => each.name === name)!;
    const { table } = await friendTable(layout);
    const [earlier, later] = readingTogether(table, 2);
    await layout.add(table, 'USER-1', 'USER-2');
    const results = await Promise.allSettled([
      layout.add(earlier!, 'USER-1', 'USER-3'),
      layout.add(later!, 'USER-1', 'USER-4'),
    ]);
    const reasons = results
      .filter((result) => result.status === 'rejected')
      .map(({ reason }) => (reason as Error).name);
    expect(reasons).toEqual(['ConditionalCheckFailedException']);
    const found = [await layout.has(table, 'USER-1', 'USER-3'), await layout.has(table, 'USER-1', 'USER-4')];
    expect(found).toEqual(results.map(({ status }) => status === 'fulfilled'));
    expect(await layout.has(table, 'USER-1', 'USER-2')).toBe(true);
  });
});

/** Views of a table whose reads wait for each other: none of the writers writes before all have read. */
function readingTogether(table: MeteredTable, count: number): MeteredTable[] {
  let left = count;
  let open = (): void => undefined;
  const allHaveRead = new Promise<void>((resolve) => {
    open = resolve;
  });
  const reading = async <T>(read: Promise<T>): Promise<T> => {
    const value = await read;
    left -= 1;
    if (left === 0) open();
    await allHaveRead;
    return value;
  };
  return Array.from({ length: count }, () =>
    Object.assign(Object.create(table) as MeteredTable, {
      get: (key: Item) => reading(table.get(key)),
      getAttribute: (key: Item, attribute: string) => reading(table.getAttribute(key, attribute)),
    }),
  );
}

/** The item that an operation on `friend` touches. */
function itemFor(layout: Layout, user: string, friends: readonly string[], friend: string): Item {
  return layout.itemPer === 'user' ? layout.items(user, friends)[0]! : layout.items(user, [friend])[0]!;
}

function readUnits(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / (4 * KILOBYTE)));
}

function writeUnits(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / KILOBYTE));
}

describe('the layouts of the article, as they are stored', () => {
  const [user, a, b, c] = ['USER-1', 'USER-a', 'USER-b', 'USER-c'] as const;
  const filled = async (name: string) => {
    const layout = LAYOUTS.find((each) => each.name === name)!;
    const { table, scan } = await friendTable(layout);
    for (const friend of [a, b, c]) await layout.add(table, user, friend);
    return { layout, table, stored: async (...items: Item[]) => expect(await scan()).toEqual(texts(items)) };
  };
  const key = { user: { S: user } };

  it('F7: count has the number of the friends next to them, and adds by it alone', async () => {
    const { layout, table, stored } = await filled('count');
    await stored({ ...key, '1': { S: a }, '2': { S: b }, '3': { S: c }, count: { N: '3' } });
    const { cost } = await table.measure(() => layout.add(table, user, 'USER-d'));
    expect(cost.bytes).toBeLessThan((await table.measure(() => layout.has(table, user, a))).cost.bytes);
    await stored({ ...key, '1': { S: a }, '2': { S: b }, '3': { S: c }, '4': { S: 'USER-d' }, count: { N: '4' } });
  });

  it('F9: row has an item for each friend, under user and friend as the two keys of the table', async () => {
    const { layout, stored } = await filled('row');
    expect(layout.key).toEqual({ partition: 'user', sort: 'friend' });
    await stored(...[a, b, c].map((friend) => ({ ...key, friend: { S: friend } })));
  });

  it.each(['default', 'count'])('F14: %s fills the gap of a removal with the last column', async (name) => {
    const { layout, table, stored } = await filled(name);
    await layout.remove(table, user, a);
    await stored({ ...key, '1': { S: c }, '2': { S: b }, ...(name === 'count' && { count: { N: '2' } }) });
  });
});

it.each([
  ['F11: md5 makes the keys of the article, in hex', 'md5', 32],
  ['F12: sha256 makes keys of 128 bits for each id', 'sha256', 32],
] as const)('%s', (_name, hash, digits) => {
  const [item] = hashLayout(hash).items('USER-1', ['USER-2']);
  const digest = (text: string): string => createHash(hash).update(text).digest('hex').slice(0, digits);
  expect(item?.['pair']).toEqual({ S: digest('USER-1') + digest('USER-2') });
});
