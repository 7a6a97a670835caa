import { createHash } from 'node:crypto';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import type { Layout } from './layout.ts';
import { friendOf } from './row.ts';

/** With 128 bits, the probability of a collision among a billion ids is about 10^-21. */
const HASH_HEX_DIGITS = 32;

/** The article uses MD5. SHA-256 is cut to 128 bits. */
export type KeyHash = 'sha256' | 'md5';

/**
 * One item per friend, with the key hash(user) + hash(friend): keys have the same length and are evenly spread. Only a
 * Scan can list a user's friends.
 */
export function hashLayout(hash: KeyHash): Layout {
  return {
    name: 'hash',
    summary: 'one item per friend, key: hash(user) + hash(friend)',
    claims: { add: 'O(1)', check: 'O(1)', remove: 'O(1)' },
    key: { partition: 'pair' },
    itemPer: 'friend',

    async add(table, user, friend) {
      await table.put(pairItem(hash, user, friend));
    },

    async has(table, user, friend) {
      return (await table.get(pairKey(hash, user, friend))) !== undefined;
    },

    async list(table, user) {
      return (await table.scan({ user: { S: user } })).map(friendOf);
    },

    async remove(table, user, friend) {
      await table.delete(pairKey(hash, user, friend));
    },

    items(user, friends) {
      return friends.map((friend) => pairItem(hash, user, friend));
    },
  };
}

function pairKey(hash: KeyHash, user: string, friend: string): Item {
  return { pair: { S: idHash(hash, user) + idHash(hash, friend) } };
}

/** Also stores the ids, because hashes can't be reversed. */
function pairItem(hash: KeyHash, user: string, friend: string): Item {
  return { ...pairKey(hash, user, friend), user: { S: user }, friend: { S: friend } };
}

function idHash(hash: KeyHash, id: string): string {
  return createHash(hash).update(id).digest('hex').slice(0, HASH_HEX_DIGITS);
}
