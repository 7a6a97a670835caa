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

/** A counter to which reads add the capacity that they consume. */
export interface ReadStats {
  rcu: number;
}

export interface CountingReader<Calls extends 'get' | 'getMany' | 'query'> {
  store: Pick<Store, Calls>;
  stats: ReadStats;
}

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

export async function* queriedItems(
  store: Pick<Store, 'query'>,
  request: QueryRequest,
  stats?: ReadStats,
): AsyncGenerator<Item, void> {
  for await (const { items } of queryPages(store, request, stats)) yield* items;
}

export async function readItem({ store, stats }: CountingReader<'get'>, key: ItemKey): Promise<Item | undefined> {
  const { item, rcu } = await store.get(key, { consistent: true });
  stats.rcu += rcu;
  return item;
}

/** Reads items consistently, in the order of the keys. @internal */
export async function readItems(
  { store, stats, wait, random, remainingMs, signal }: CountingReader<'getMany'> & BatchWaits,
  keys: readonly ItemKey[],
): Promise<GetManyResult['items']> {
  if (keys.length === 0) return [];
  const { items, rcu } = await store.getMany(keys, { consistent: true, wait, random, remainingMs, signal });
  stats.rcu += rcu;
  return items;
}
