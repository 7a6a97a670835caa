import type { Item } from './items/attribute-value.ts';
import type {
  BatchWaits,
  GetManyResult,
  ItemKey,
  NativeQueryRequest,
  QueryRequest,
  QueryResult,
  Store,
} from './store-port.ts';

/** The counter to which reads add their capacity. */
export interface ReadStats {
  /** Read capacity units. */
  rcu: number;
}

/** A store to read from, and where its reads are counted. */
export interface CountingReader<Calls extends 'get' | 'getMany' | 'query'> {
  store: Pick<Store, Calls>;
  stats: ReadStats;
}

/**
 * The pages of a query, one call each, from its start key to its end. Every page that was read is counted in `stats`.
 *
 * @example
 * for await (const { items } of queryPages(store, { partition: 'GOAL-1', consistent: true })) count += items.length;
 */
export async function* queryPages(
  store: Pick<Store, 'query'>,
  request: QueryRequest,
  stats: ReadStats = { rcu: 0 },
): AsyncGenerator<QueryResult, void> {
  let { startKey } = request;
  do {
    const page = await store.query({ ...request, startKey });
    stats.rcu += page.rcu;
    yield page;
    startKey = page.lastKey;
  } while (startKey !== undefined);
}

/** The pages of a query of a native index, one call each. */
export async function* nativePages(
  store: Pick<Store, 'queryNative'>,
  request: NativeQueryRequest,
): AsyncGenerator<QueryResult, void> {
  let { startKey } = request;
  do {
    const page = await store.queryNative({ ...request, ...(startKey && { startKey }) });
    yield page;
    startKey = page.lastKey;
  } while (startKey !== undefined);
}

/** The items of all pages of a query, as `queryPages` reads them. */
export async function* queriedItems(
  store: Pick<Store, 'query'>,
  request: QueryRequest,
  stats?: ReadStats,
): AsyncGenerator<Item, void> {
  for await (const { items } of queryPages(store, request, stats)) yield* items;
}

/** A consistent read of one item, counted; undefined where there is none. */
export async function readItem({ store, stats }: CountingReader<'get'>, key: ItemKey): Promise<Item | undefined> {
  const { item, rcu } = await store.get(key, { consistent: true });
  stats.rcu += rcu;
  return item;
}

/** Consistent reads of many items, counted, in the order of their keys; no call where there is no key. A context says how a call waits. @internal */
export async function readItems(
  { store, stats, wait, random, remainingMs, signal }: CountingReader<'getMany'> & BatchWaits,
  keys: readonly ItemKey[],
): Promise<GetManyResult['items']> {
  if (keys.length === 0) return [];
  const { items, rcu } = await store.getMany(keys, { consistent: true, wait, random, remainingMs, signal });
  stats.rcu += rcu;
  return items;
}
