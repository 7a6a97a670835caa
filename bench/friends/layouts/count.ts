import type { AttributeValue } from '../../../src/core/items/attribute-value.ts';
import { defaultLayout, numbered, placeOf } from './default.ts';
import type { Layout } from './layout.ts';

/**
 * Like `default`, but adding a friend reads only the count. If two writers compete, the later one's condition fails.
 */
export const countLayout: Layout = {
  ...defaultLayout,
  name: 'count',
  summary: 'as default, and an attribute `count`',
  claims: { add: 'O(1)', check: 'O(n)', remove: 'O(n)' },

  async add(table, user, friend) {
    const count = await table.getAttribute({ user: { S: user } }, 'count');
    const next = numberIn(count) + 1;
    await table.update(user, { set: { [String(next)]: { S: friend }, count: { N: String(next) } }, expect: { count } });
  },

  async remove(table, user, friend) {
    const item = await table.get({ user: { S: user } });
    const hole = placeOf(item, friend);
    if (item === undefined || hole === undefined) return;
    const last = numberIn(item['count']);
    const fillsHole = hole !== String(last);
    await table.update(user, {
      set: { ...(fillsHole && { [hole]: item[String(last)]! }), count: { N: String(last - 1) } },
      remove: [String(last)],
      expect: { count: item['count'], [hole]: item[hole] },
    });
  },

  items(user, friends) {
    return [{ user: { S: user }, ...numbered(friends), count: { N: String(friends.length) } }];
  },
};

function numberIn(count: AttributeValue | undefined): number {
  return count !== undefined && 'N' in count ? Number(count.N) : 0;
}
