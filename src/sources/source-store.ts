import type { Item } from '../core/items/attribute-value.ts';

/** The way to a source table. It only reads: nothing of ours writes a table of others. */
export interface SourceStore {
  /** Reads one item consistently by its key in wire form; without `item` there is none. `rcu`: read units that were consumed. */
  get(key: Item): Promise<{ item?: Item | undefined; rcu: number }>;
  /** Reads one page of the table, eventually consistent, from its beginning or after a key. */
  scan(request: { startKey?: Item | undefined }): Promise<SourcePage>;
}

/** One page of a source table. */
export interface SourcePage {
  items: readonly Item[];
  /** Where the next page starts; absent where nothing remains. */
  lastKey?: Item | undefined;
  /** Read units that were consumed. */
  rcu: number;
}
