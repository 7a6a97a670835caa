import { type Item, stringOf } from '../../core/items/attribute-value.ts';
import { BEGINNINGS } from '../../core/items/derived-key.ts';
import { compareKeys } from '../../core/items/encoding.ts';
import { BASE_ITEMS, DERIVED_ITEMS, isDerivedKey } from '../../core/items/keys.ts';
import { type CompiledModel, layersOf, listsOf } from '../../core/model/compiled.ts';
import { queriedItems } from '../../core/store-pages.ts';
import type { QueryRequest, Store } from '../../core/store-port.ts';

/**
 * Reads a partition as several sorted streams: its base items, and its derived items in streams that each follow the order of the
 * base items. Reading them next to each other brings a base item and its index items together, in a partition of any size.
 */

/** An item with its sort key. */
export interface Keyed {
  key: string;
  item: Item;
}

/** Derived items in the order of their sort keys, with the next one read already. */
export interface DerivedStream {
  /** The beginning of a sort key: a base item's own index item in this stream has this prefix, then the base item's sort key. */
  prefix: string;
  head: Keyed | undefined;
  /** Reads the next item. */
  advance: () => Promise<void>;
}

type Queries = Pick<Store, 'query'>;

/** Reads the base items of a partition. Their sort keys begin with `A` to `Z`; `[` is the next character. */
export function baseItems(graph: CompiledModel, store: Queries, source: string): AsyncGenerator<Keyed> {
  return keyedItems(graph, store, { partition: source, sortKey: BASE_ITEMS });
}

/**
 * Opens the streams of a partition's derived items: one for each named order of the model, whose items would otherwise all come
 * before the first base item, and one for all others.
 */
export async function openDerivedStreams(
  graph: CompiledModel,
  store: Queries,
  source: string,
): Promise<DerivedStream[]> {
  const named = layersOf(graph).flatMap(({ edges }) =>
    [...edges.values()]
      .flatMap(listsOf)
      .flatMap(({ items }) => items.filter(({ orderName }) => orderName !== undefined)),
  );
  const prefixes = [...new Set(named.map(({ inForce }) => inForce.places.prefix))].sort(compareKeys);
  const streams = prefixes.map((prefix) =>
    openStream(prefix, keyedItems(graph, store, { partition: source, sortKey: { beginsWith: prefix } })),
  );
  return Promise.all([
    openStream(BEGINNINGS['index-item'], itemsOutsideNamedOrders(graph, store, source, prefixes)),
    ...streams,
  ]);
}

/** Reads the derived items before, between and after the named orders. */
async function* itemsOutsideNamedOrders(
  graph: CompiledModel,
  store: Queries,
  source: string,
  prefixes: readonly string[],
): AsyncGenerator<Keyed> {
  // A query includes both its ends, so an item at an end that does not belong here is dropped by its key.
  const isOutsideNamedOrders = (key: string): boolean =>
    isDerivedKey(key) && !prefixes.some((prefix) => key.startsWith(prefix));
  const ends = [...prefixes, undefined];
  for (const [i, to] of ends.entries()) {
    const from = i === 0 ? DERIVED_ITEMS.from : afterPrefix(prefixes[i - 1]!);
    const sortKey = { from, to: to ?? DERIVED_ITEMS.to };
    for await (const keyed of keyedItems(graph, store, { partition: source, sortKey }))
      if (isOutsideNamedOrders(keyed.key)) yield keyed;
  }
}

/** The lowest text above all texts with a prefix; the prefix ends with `/`. */
function afterPrefix(prefix: string): string {
  return `${prefix.slice(0, -1)}0`;
}

async function openStream(prefix: string, items: AsyncGenerator<Keyed>): Promise<DerivedStream> {
  const stream: DerivedStream = {
    prefix,
    head: await nextItem(items),
    advance: async () => {
      stream.head = await nextItem(items);
    },
  };
  return stream;
}

async function* keyedItems(graph: CompiledModel, store: Queries, request: QueryRequest): AsyncGenerator<Keyed> {
  for await (const item of queriedItems(store, request)) yield { key: stringOf(item[graph.table.sortKey]) ?? '', item };
}

/** Returns the next item of a stream; undefined at its end. */
export async function nextItem(items: AsyncGenerator<Keyed>): Promise<Keyed | undefined> {
  const result = await items.next();
  return result.done === true ? undefined : result.value;
}
