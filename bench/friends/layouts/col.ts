import type { Layout } from './layout.ts';

/**
 * One item per user, with an attribute named after each friend, so no friend may be called `user`. No operation reads
 * first, so writers don't conflict.
 */
export const colLayout: Layout = {
  name: 'col',
  summary: "one item per user, an attribute's name is the friend",
  claims: { add: 'O(1)', check: 'O(1)', remove: 'O(1)' },
  key: { partition: 'user' },
  itemPer: 'user',

  async add(table, user, friend) {
    await table.update(user, { set: { [friend]: { BOOL: true } } });
  },

  async has(table, user, friend) {
    return (await table.getAttribute({ user: { S: user } }, friend)) !== undefined;
  },

  async list(table, user) {
    return Object.keys((await table.get({ user: { S: user } })) ?? {}).filter((name) => name !== 'user');
  },

  async remove(table, user, friend) {
    await table.update(user, { remove: [friend] });
  },

  items(user, friends) {
    return [{ user: { S: user }, ...Object.fromEntries(friends.map((friend) => [friend, { BOOL: true }])) }];
  },
};
