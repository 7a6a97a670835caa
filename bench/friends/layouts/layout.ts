import type { Item } from '../../../src/core/items/attribute-value.ts';
import type { MeteredTable, TableKey } from '../table.ts';

export type Operation = 'add' | 'check' | 'list' | 'remove';

export const OPERATIONS: readonly Operation[] = ['add', 'check', 'list', 'remove'];

export type Growth = 'O(1)' | 'O(n)';

/** Who reads whom. Ids are `USER-` and a UUID; layouts keep no state. */
export interface Layout {
  name: string;
  summary: string;
  /** What the article claims, on HBase. It claims nothing about listing. */
  claims: Readonly<Record<Exclude<Operation, 'list'>, Growth>>;
  key: TableKey;
  /** Whether friends share one item. */
  itemPer: 'user' | 'friend';
  /** The friend must be absent: `default` and `count` would add a second one. */
  add(table: MeteredTable, user: string, friend: string): Promise<void>;
  has(table: MeteredTable, user: string, friend: string): Promise<boolean>;
  /** Lists the friends in any order. */
  list(table: MeteredTable, user: string): Promise<string[]>;
  /** Ignores an absent friend. */
  remove(table: MeteredTable, user: string, friend: string): Promise<void>;
  items(user: string, friends: readonly string[]): Item[];
}
