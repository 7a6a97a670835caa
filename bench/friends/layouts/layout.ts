import type { Item } from '../../../src/core/items/attribute-value.ts';
import type { MeteredTable, TableKey } from '../table.ts';

/** What is done with a friend list. */
export type Operation = 'add' | 'check' | 'list' | 'remove';

/** The operations, in the order in which the experiment makes them. */
export const OPERATIONS: readonly Operation[] = ['add', 'check', 'list', 'remove'];

/** How a cost grows with the number of friends. */
export type Growth = 'O(1)' | 'O(n)';

/**
 * A way to store who reads whom. Ids are `USER-` and a UUID. The table is created with the layout's `key`; the layouts
 * themselves keep no state.
 */
export interface Layout {
  name: string;
  /** One line: what is stored where. */
  summary: string;
  /** What the article claims for it, on HBase: of listing it claims nothing. */
  claims: Readonly<Record<Exclude<Operation, 'list'>, Growth>>;
  key: TableKey;
  /** Whether a user's friends share one item, or each has its own. */
  itemPer: 'user' | 'friend';
  /** Adds a friend who is not in the list yet: `default` and `count` would hold him twice. */
  add(table: MeteredTable, user: string, friend: string): Promise<void>;
  /** Whether `user` reads `friend`. */
  has(table: MeteredTable, user: string, friend: string): Promise<boolean>;
  /** All friends, in no order. */
  list(table: MeteredTable, user: string): Promise<string[]>;
  /** Removes a friend; changes nothing where he is not in the list. */
  remove(table: MeteredTable, user: string, friend: string): Promise<void>;
  /** The items that hold a list of at least one friend: what the operations would have made of it. */
  items(user: string, friends: readonly string[]): Item[];
}
