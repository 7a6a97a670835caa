import type { Item } from '../../../src/core/items/attribute-value.ts';
import type { Layout } from './layout.ts';

/**
 * One item per user with numbered friends. Each operation reads the whole item. If two writers compete, the later one's
 * condition fails.
 */
export const defaultLayout: Layout = {
  name: 'default',
  summary: 'one item per user, numbered attributes hold the friends',
  claims: { add: 'O(n)', check: 'O(n)', remove: 'O(n)' },
  key: { partition: 'user' },
  itemPer: 'user',

  async add(table, user, friend) {
    const last = lastNumber(await table.get({ user: { S: user } }));
    const free = String(last + 1);
    await table.update(user, { set: { [free]: { S: friend } }, expect: { [free]: undefined } });
  },

  async has(table, user, friend) {
    return placeOf(await table.get({ user: { S: user } }), friend) !== undefined;
  },

  async list(table, user) {
    const item = await table.get({ user: { S: user } });
    return Object.entries(item ?? {}).flatMap(([name, value]) => (name !== 'user' && 'S' in value ? [value.S] : []));
  },

  async remove(table, user, friend) {
    const item = await table.get({ user: { S: user } });
    const hole = placeOf(item, friend);
    if (item === undefined || hole === undefined) return;
    const last = lastNumber(item);
    const expect = { [hole]: item[hole], [String(last)]: item[String(last)], [String(last + 1)]: undefined };
    const fillsHole = hole !== String(last);
    await table.update(user, {
      ...(fillsHole && { set: { [hole]: item[String(last)]! } }),
      remove: [String(last)],
      expect,
    });
  },

  items(user, friends) {
    return [{ user: { S: user }, ...numbered(friends) }];
  },
};

export function numbered(friends: readonly string[]): Item {
  return Object.fromEntries(friends.map((friend, place) => [String(place + 1), { S: friend }]));
}

export function placeOf(item: Item | undefined, friend: string): string | undefined {
  if (item === undefined) return undefined;
  for (const [name, value] of Object.entries(item)) {
    if (name !== 'user' && 'S' in value && value.S === friend) return name;
  }
  return undefined;
}

/** Besides the key, attributes are numbered without gaps. */
function lastNumber(item: Item | undefined): number {
  return item === undefined ? 0 : Object.keys(item).length - 1;
}
