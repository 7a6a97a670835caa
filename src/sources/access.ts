import type { Item } from '../core/items/attribute-value.ts';
import { toPlainItem } from '../core/items/plain.ts';
import { EdgeloomError } from '../foundation/errors.ts';
import {
  type DefineSourceOptions,
  isTable,
  keyOfText,
  keyTextOf,
  keyTextOfItem,
  type Source,
  type SourceItem,
  type TableSource,
} from './source.ts';

/** Read access to a source table. */
export interface SourceStore {
  /**
   * Reads an item consistently by its key in wire form. `item` is absent if there is none; `rcu` is the number of read
   * units consumed.
   */
  get(key: Item): Promise<{ item?: Item | undefined; rcu: number }>;
  /** Reads a page of the table with eventual consistency, from the table's beginning or after `startKey`. */
  scan(request: { startKey?: Item | undefined }): Promise<SourcePage>;
}

/** Items of a source table, with the read units that they cost. */
export interface SourcePage {
  items: readonly Item[];
  /** Where the next page starts; absent on the last page. */
  lastKey?: Item | undefined;
  rcu: number;
}

export interface SourceAccess {
  /** Returns undefined if there is no item. */
  read(key: string): Promise<SourceItem | undefined>;
  /** Yields all keys after `after`, in pages. Throws `usage` if the source lists no keys. */
  pages(after: string | undefined): AsyncGenerator<string[], void>;
}

/** Charges capacity units of a table, or reads of another database, and waits if the rate is exceeded. */
export type Spend = (units: number) => Promise<void>;

/** After a kill, a resumed walk visits at most this many keys again. */
const PAGE = 100;

export function accessOf(source: Source, openTable: (table: string) => SourceStore, spend: Spend): SourceAccess {
  const { read, keys } = isTable(source)
    ? functionsOf(source, openTable(source.name), spend)
    : (source.from as Pick<DefineSourceOptions, 'read' | 'keys'>);
  return {
    async read(key) {
      const item = await read(key);
      if (!isTable(source)) await spend(1);
      if (item === undefined || item === null) return undefined;
      if (typeof item === 'object') return item;
      const remedy = 'Return an object with the attributes of the item, or undefined if there is no item.';
      throw new EdgeloomError('invalid-option', `read of the source ${source.name} gave ${String(item)}.`, remedy);
    },
    async *pages(after) {
      if (keys === undefined) {
        throw new EdgeloomError(
          'usage',
          `The source ${source.name} lists no keys.`,
          'Give defineSource keys: (after) => all keys after it, in ascending order.',
        );
      }
      let page: string[] = [];
      for await (const key of keys(after)) {
        page.push(keyTextOf(source, key));
        if (page.length < PAGE) continue;
        yield page;
        page = [];
      }
      if (page.length > 0) yield page;
    },
  };
}

/** Gives a table the `read` and `keys` that other sources get from `defineSource`. */
function functionsOf(source: TableSource, store: SourceStore, spend: Spend) {
  return {
    async read(key: string): Promise<SourceItem | undefined> {
      const { item, rcu } = await store.get(keyOfText(key));
      await spend(rcu);
      return item && toPlainItem(item);
    },
    async *keys(after: string | undefined): AsyncGenerator<string, void> {
      let startKey = after === undefined ? undefined : keyOfText(after);
      do {
        const page = await store.scan({ startKey });
        await spend(page.rcu);
        for (const item of page.items) yield keyTextOfItem(source, item);
        startKey = page.lastKey;
      } while (startKey !== undefined);
    },
  };
}
