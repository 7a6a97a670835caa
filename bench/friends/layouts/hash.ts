import { createHash } from 'node:crypto';
import type { Item } from '../../../src/items/attribute-value.ts';
import type { Layout } from './layout.ts';

/** 128 bits: two of a billion ids share a hash with a probability of about 10^-21. */
const HASH_HEX_DIGITS = 32;

/**
 * An item for each friend, under hash(user) + hash(friend): keys of one length, whatever the ids are, that need no
 * separator, and are spread evenly even where one user has a million friends. The price on DynamoDB: no Query lists a
 * user's friends, because partition keys have no order.
 */
export const hashLayout: Layout = {
  name: 'hash',
  summary: 'one item per friend, key: hash(user) + hash(friend)',
  claims: { add: 'O(1)', check: 'O(1)', remove: 'O(1)' },
  key: { partition: 'pair' },
  itemPer: 'friend',

  async add(table, user, friend) {
    await table.put(pairItem(user, friend));
  },

  async has(table, user, friend) {
    return (await table.get(pairKey(user, friend))) !== undefined;
  },

  async remove(table, user, friend) {
    await table.delete(pairKey(user, friend));
  },

  items(user, friends) {
    return friends.map((friend) => pairItem(user, friend));
  },
};

function pairKey(user: string, friend: string): Item {
  return { pair: { S: idHash(user) + idHash(friend) } };
}

/** A hash cannot be read back, so the item says whom it joins. */
function pairItem(user: string, friend: string): Item {
  return { ...pairKey(user, friend), user: { S: user }, friend: { S: friend } };
}

function idHash(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, HASH_HEX_DIGITS);
}
