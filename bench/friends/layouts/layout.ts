import type { Item } from '../../../src/core/items/attribute-value.ts';
import type { MeteredTable, TableKey } from '../table.ts';

export type Operation = 'add' | 'check' | 'list' | 'remove';

export const OPERATIONS: readonly Operation[] = ['add', 'check', 'list', 'remove'];

export type Growth = 'O(1)' | 'O(n)';

/** Ids are `USER-` and a UUID. A layout has no state of its own. */
export interface Layout {
  name: string;
  summary: string;
  /** The article's claims, for HBase. It makes no claim about listing. */
  claims: Readonly<Record<Exclude<Operation, 'list'>, Growth>>;
  key: TableKey;
  itemPer: 'user' | 'friend';
  /** The friend must not be in the list yet: `default` and `count` would add it twice. */
  add(table: MeteredTable, user: string, friend: string): Promise<void>;
  has(table: MeteredTable, user: string, friend: string): Promise<boolean>;
  list(table: MeteredTable, user: string): Promise<string[]>;
  remove(table: MeteredTable, user: string, friend: string): Promise<void>;
  items(user: string, friends: readonly string[]): Item[];
}
