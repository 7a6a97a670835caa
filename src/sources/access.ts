import type { Item } from '../core/items/attribute-value.ts';
import { toPlainItem } from '../core/items/plain.ts';
import { describe } from '../foundation/describe.ts';
import { EdgeloomError, StoreError } from '../foundation/errors.ts';
import { thrownText } from './mapped.ts';
import {
  type DefineSourceOptions,
  isTable,
  keyOfText,
  keyTextOf,
  keyTextOfItem,
  namesOf,
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
  read(key: string): Promise<SourceItem | undefined>;
  pages(after: string | undefined): AsyncGenerator<string[], void>;
}

/** For a table, `units` are capacity units; for another database, reads. Waits if the rate is exceeded. */
export type Spend = (units: number) => Promise<void>;

const PAGE = 100;

export function accessOf(source: Source, openTable: (table: string) => SourceStore, spend: Spend): SourceAccess {
  const { read, keys } = isTable(source)
    ? tableFunctions(source, openTable(source.name), spend)
    : (source.from as Pick<DefineSourceOptions, 'read' | 'keys'>);
  return {
    async read(key) {
      let item: SourceItem | null | undefined;
      try {
        item = await read(key);
      } catch (error) {
        throw sourceError(source, `read of the source ${source.name} threw for the key ${describe(key)}`, error);
      }
      if (!isTable(source)) await spend(1);
      if (item === undefined || item === null) return undefined;
      if (typeof item === 'object') return item;
      const remedy = 'Return an object with the attributes of the item, or undefined if there is no item.';
      throw new EdgeloomError(
        'invalid-argument',
        `read of the source ${source.name} gave ${describe(item)} for the key ${describe(key)}.`,
        remedy,
      );
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
      for await (const key of listedKeys(source, keys, after)) {
        page.push(keyTextOf(source, key));
        if (page.length < PAGE) continue;
        yield page;
        page = [];
      }
      if (page.length > 0) yield page;
    },
  };
}

async function* listedKeys(
  source: Source,
  keys: NonNullable<DefineSourceOptions['keys']>,
  after: string | undefined,
): AsyncGenerator<string, void> {
  try {
    const all = keys(after);
    const { [Symbol.iterator]: iterator, [Symbol.asyncIterator]: asyncIterator } = Object(all) as Record<
      symbol,
      unknown
    >;
    if (typeof all === 'string' || typeof (iterator ?? asyncIterator) !== 'function') {
      // `all` may be a promise, which nobody awaits: handle its rejection, which would otherwise end the process.
      Promise.resolve(all as unknown).catch(() => undefined);
      throw new EdgeloomError(
        'invalid-argument',
        `keys of the source ${source.name} gave ${describe(all)}, which is not a list.`,
        'Return an array or another iterable, or make keys an async generator: async function* (after) { … }.',
      );
    }
    yield* all;
  } catch (error) {
    throw sourceError(source, `keys of the source ${source.name} threw`, error);
  }
}

/** Doesn't wrap Edgeloom's own errors, because callers decide by them whether to retry. */
function sourceError({ name }: Source, what: string, error: unknown): unknown {
  if (error instanceof EdgeloomError) return error;
  return new EdgeloomError(
    'source-failed',
    `${what}: ${thrownText(error).replace(/\.$/, '')}.`,
    `Correct it, or the database that it reads; then touch the key again, or continue the sync: edgeloom mirror sync ${name} --resume.`,
    { cause: error },
  );
}

function tableFunctions(source: TableSource, store: SourceStore, spend: Spend) {
  const naming = async <T>(call: Promise<T>): Promise<T> => {
    try {
      return await call;
    } catch (error) {
      throw error instanceof StoreError ? withSourceTable(source, error) : error;
    }
  };
  return {
    async read(key: string): Promise<SourceItem | undefined> {
      const { item, rcu } = await naming(store.get(keyOfText(key)));
      await spend(rcu);
      return item && toPlainItem(item);
    },
    async *keys(after: string | undefined): AsyncGenerator<string, void> {
      let startKey = after === undefined ? undefined : keyOfText(after);
      do {
        const page = await naming(store.scan({ startKey }));
        await spend(page.rcu);
        for (const item of page.items) yield keyTextOfItem(source, item);
        startKey = page.lastKey;
      } while (startKey !== undefined);
    },
  };
}

/** Names the source table in a store error, because the error's hint is otherwise about Edgeloom's own table. */
function withSourceTable({ name, from }: TableSource, error: StoreError): StoreError {
  const { kind, code, message } = error;
  const names = namesOf(from).join(', ');
  const hints: Readonly<Record<string, string>> = {
    ResourceNotFoundException: `Correct the name in the model file (sourceTable('${name}', …)), the region, or the endpoint: --source-endpoint, if the table is at another one.`,
    ValidationException: `Name its key attributes in the model file: sourceTable('${name}', { keys: { partitionKey, sortKey } }). They are ${names} there now.`,
  };
  return new StoreError(kind, code, `The source table ${name}: ${message}`, hints[code] ?? error.hint, {
    cause: error,
  });
}
