import type { Item } from '../../../src/core/items/attribute-value.ts';
import type { Layout } from './layout.ts';

/** One item per friend, with user and friend as its key, like Edgeloom's edges. */
export const rowLayout: Layout = {
  name: 'row',
  summary: 'one item per friend, key: user and friend',
  claims: { add: 'O(1)', check: 'O(1)', remove: 'O(1)' },
  key: { partition: 'user', sort: 'friend' },
  itemPer: 'friend',

  async add(table, user, friend) {
    await table.put({ user: { S: user }, friend: { S: friend } });
  },

  async has(table, user, friend) {
    return (await table.get({ user: { S: user }, friend: { S: friend } })) !== undefined;
  },

  async list(table, user) {
    return (await table.query({ user: { S: user } })).map(friendOf);
  },

  async remove(table, user, friend) {
    await table.delete({ user: { S: user }, friend: { S: friend } });
  },

  items(user, friends) {
    return friends.map((friend) => ({ user: { S: user }, friend: { S: friend } }));
  },
};

export function friendOf({ friend }: Item): string {
  if (friend === undefined || !('S' in friend)) throw new Error('An item of a friend list names no friend.');
  return friend.S;
}
