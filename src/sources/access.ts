import { type Item, withBinaryAsBytes } from '../core/items/attribute-value.ts';
import { toPlainItem } from '../core/items/plain.ts';
import { EdgeloomError } from '../foundation/errors.ts';
import { isTable, keyOfText, keyTextOf, keyTextOfItem, type Source, type SourceItem } from './source.ts';
import type { SourceStore } from './source-store.ts';

/** The one way to the items of a source, whatever database has them. */
export interface SourceAccess {
  /** Reads an item as it is now, as plain values; undefined: there is none. */
  read(key: string): Promise<SourceItem | undefined>;
  /** The keys of all items after a place, in pages; `place` is where the next page begins. Throws `usage` where the source lists none. */
  pages(after: string | undefined): AsyncGenerator<{ keys: string[]; place: string }, void>;
}

/** Counts what a source is asked for: read units of a table, else reads. May wait, so that no more is consumed than is allowed. */
export type Spend = (units: number) => Promise<void>;

/** Keys that a page holds, of a source that lists them one by one. */
const PAGE = 100;
/** Keys of one page of a table: a page of a Scan may have thousands, which a walk that is killed would visit again. */
const PAGE_OF_TABLE = 1_000;

/** Opens a source. @param openTable makes the way to a table, by its name. */
export function accessOf(source: Source, openTable: (table: string) => SourceStore, spend: Spend): SourceAccess {
  return isTable(source) ? tableAccess(source, openTable(source.name), spend) : functionAccess(source, spend);
}

function tableAccess(source: Source, store: SourceStore, spend: Spend): SourceAccess {
  if (!isTable(source)) throw new Error('It is no table.');
  return {
    async read(key) {
      const { item, rcu } = await store.get(keyOfText(key));
      await spend(rcu);
      return item && plainOf(item);
    },
    async *pages(after) {
      let startKey = after === undefined ? undefined : keyOfText(after);
      do {
        const page = await store.scan({ startKey });
        await spend(page.rcu);
        const keys = page.items.map((item) => keyTextOfItem(source, item));
        startKey = page.lastKey;
        const place = startKey === undefined ? keys.at(-1) : keyTextOfItem(source, startKey);
        let start = 0;
        for (; start + PAGE_OF_TABLE < keys.length; start += PAGE_OF_TABLE) {
          const some = keys.slice(start, start + PAGE_OF_TABLE);
          yield { keys: some, place: some.at(-1)! };
        }
        if (place !== undefined) yield { keys: keys.slice(start), place };
      } while (startKey !== undefined);
    },
  };
}

function functionAccess(source: Source, spend: Spend): SourceAccess {
  const from = source.from;
  if ('partitionKey' in from) throw new Error('It is a table.');
  return {
    async read(key) {
      const item = await from.read(key);
      await spend(1);
      if (item === undefined || item === null) return undefined;
      if (typeof item === 'object') return item;
      const remedy = 'Give an object of its attributes, or undefined where there is no item.';
      throw new EdgeloomError('invalid-option', `read of the source ${source.name} gave ${String(item)}.`, remedy);
    },
    async *pages(after) {
      if (from.keys === undefined) {
        throw new EdgeloomError(
          'usage',
          `The source ${source.name} lists no keys.`,
          'Give defineSource keys: (after) => all keys after it, in ascending order.',
        );
      }
      let keys: string[] = [];
      for await (const key of from.keys(after)) {
        keys.push(keyTextOf(source, key));
        if (keys.length < PAGE) continue;
        yield { keys, place: keys.at(-1)! };
        keys = [];
      }
      if (keys.length > 0) yield { keys, place: keys.at(-1)! };
    },
  };
}

function plainOf(item: Item): SourceItem {
  const values = Object.keys(item).map((name) => [name, withBinaryAsBytes(item[name]!)]);
  return toPlainItem(Object.fromEntries(values) as Item);
}
