import { type Item, stringOf } from '../items/attribute-value.ts';
import { compareKeys } from '../items/encoding.ts';
import { INDEX_PREFIX, isDerivedKey, orderKeyPrefix } from '../items/keys.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { queriedItems } from '../store/pages.ts';
import type { QueryRequest, Store } from '../store/port.ts';

/**
 * A partition read as several sorted streams: its base items, and its derived items in streams that each follow the order
 * of the base items. Read side by side they bring a base item and its index items together, however large the partition.
 */

/** An item with its sort key. */
export interface Keyed {
  key: string;
  item: Item;
}

/** Derived items in the order of their sort keys, one ahead. */
export interface DerivedStream {
  /** What stands before the base item's sort key in the sort key of an index item that follows it. */
  prefix: string;
  head: Keyed | undefined;
  /** Moves on by one item. */
  advance: () => Promise<void>;
}

type Queries = Pick<Store, 'query'>;

/** Base items of a partition: sort keys of the model begin with `A` to `Z`; `[` follows. */
export function baseItems(graph: CompiledModel, store: Queries, source: string): AsyncGenerator<Keyed> {
  return itemsOf(graph, store, { partition: source, sortKey: { from: 'A', to: '[' } });
}

/**
 * Derived items of a partition: one stream for each named order of the model, whose items would all come before the first
 * base item otherwise, and one for all others.
 */
export async function derivedStreams(graph: CompiledModel, store: Queries, source: string): Promise<DerivedStream[]> {
  const names = new Set<string>();
  for (const { inbound } of graph.edges.values()) {
    for (const { orderName } of inbound?.items ?? []) if (orderName !== undefined) names.add(orderName);
  }
  const prefixes = [...names].map((name) => orderKeyPrefix(name)).sort(compareKeys);
  const streams = prefixes.map((prefix) =>
    opened(prefix, itemsOf(graph, store, { partition: source, sortKey: { beginsWith: prefix } })),
  );
  return Promise.all([opened(INDEX_PREFIX, otherItems(graph, store, source, prefixes)), ...streams]);
}

/** What lies between the named orders, before them and after them. */
async function* otherItems(
  graph: CompiledModel,
  store: Queries,
  source: string,
  prefixes: readonly string[],
): AsyncGenerator<Keyed> {
  // A query's ends are inclusive: what lies on one and does not belong here is left out by its key.
  const isOther = (key: string): boolean => isDerivedKey(key) && !prefixes.some((prefix) => key.startsWith(prefix));
  const ends = [...prefixes, undefined];
  for (const [i, to] of ends.entries()) {
    const from = i === 0 ? '~' : afterPrefix(prefixes[i - 1]!);
    const sortKey = { from, to: to ?? AFTER_DERIVED };
    for await (const keyed of itemsOf(graph, store, { partition: source, sortKey }))
      if (isOther(keyed.key)) yield keyed;
  }
}

/** The character after the `~` that derived sort keys begin with. */
const AFTER_DERIVED = '\u007f';

/** The lowest text above all that begin with a prefix, which ends with `/`. */
function afterPrefix(prefix: string): string {
  return `${prefix.slice(0, -1)}0`;
}

async function opened(prefix: string, items: AsyncGenerator<Keyed>): Promise<DerivedStream> {
  const stream: DerivedStream = {
    prefix,
    head: await next(items),
    advance: async () => {
      stream.head = await next(items);
    },
  };
  return stream;
}

async function* itemsOf(graph: CompiledModel, store: Queries, request: QueryRequest): AsyncGenerator<Keyed> {
  for await (const item of queriedItems(store, request)) yield { key: stringOf(item[graph.table.sortKey]) ?? '', item };
}

/** The next item of a stream; undefined at its end. */
export async function next(items: AsyncGenerator<Keyed>): Promise<Keyed | undefined> {
  const result = await items.next();
  return result.done === true ? undefined : result.value;
}
