import type { Item } from '../core/items/attribute-value.ts';

/** The way to a source table. It only reads: nothing of ours writes a table of others. */
export interface SourceStore {
  /** Reads one item consistently by its key in wire form; undefined: there is none. */
  get(key: Item): Promise<Item | undefined>;
  /** Reads one page of the table, eventually consistent, from its beginning or after a key. */
  scan(request: { startKey?: Item | undefined }): Promise<SourcePage>;
}

/** One page of a source table. */
export interface SourcePage {
  items: readonly Item[];
  /** Where the next page starts; absent where nothing remains. */
  lastKey?: Item | undefined;
}

/** All items of a source table, page by page. */
export async function* sourcePages(store: SourceStore): AsyncGenerator<readonly Item[], void> {
  let startKey: Item | undefined;
  do {
    const page = await store.scan({ startKey });
    yield page.items;
    startKey = page.lastKey;
  } while (startKey !== undefined);
}
