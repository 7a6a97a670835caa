import pMap from 'p-map';
import { EdgeloomError } from '../../errors.ts';
import { stringOf } from '../../items/attribute-value.ts';
import { INDEX_KEYS } from '../../items/derived-item.ts';
import type { HashName } from '../../items/shard.ts';
import type { SearchModel } from '../../model/compiled.ts';
import { pages } from '../../store/pages.ts';
import type { ReadContext } from '../request/context.ts';
import { inRange, type KeyRange, sendableRange } from '../request/key-range.ts';
import { type SearchPredicate, type SearchScope, scopedQuery, storedSearch } from './search.ts';

/** How many hits a search has. */
export interface CountResult {
  count: number;
  /** Read capacity units consumed: those of a read of all that is counted. */
  rcu: number;
}

/** How a search's items lie over its shards. */
export interface ShardsResult {
  shards: number;
  items: number;
  /** The shard with the most items (from 1), and its share of them all (0 to 1). */
  hottest: { shard: number; share: number };
  /** Shards without items. */
  empty: number;
  hash: HashName;
}

/** Counts hits over the shards: see `Search.count`. */
export async function countSearch(
  context: ReadContext,
  search: SearchModel,
  predicate: SearchPredicate,
  scope: SearchScope,
): Promise<CountResult> {
  const { partitions, range } = scopedQuery(storedSearch(context, search), predicate, scope);
  const counts = await countShards(context, partitions, range);
  return {
    count: counts.reduce((sum, { count }) => sum + count, 0),
    rcu: counts.reduce((sum, { rcu }) => sum + rcu, 0),
  };
}

/** Counts each shard of a search: see `Reader.shards`. */
export async function readShards(
  context: ReadContext,
  declared: SearchModel,
  scope: SearchScope = {},
): Promise<ShardsResult> {
  const search = storedSearch(context, declared);
  if (search.shards === 'value') {
    throw new EdgeloomError(
      'equality-only',
      `The search ${search.indexPartition} has no list of shards: with shards: 'value' each value is its own.`,
    );
  }
  const { partitions, range } = scopedQuery(search, {}, scope);
  const counts = (await countShards(context, partitions, range)).map(({ count }) => count);
  const items = counts.reduce((sum, count) => sum + count, 0);
  const most = Math.max(0, ...counts);
  return {
    shards: search.shards,
    items,
    hottest: { shard: Math.max(0, counts.indexOf(most)) + 1, share: items === 0 ? 0 : most / items },
    empty: counts.filter((count) => count === 0).length,
    hash: search.hash,
  };
}

async function countShards(context: ReadContext, partitions: string[], range: KeyRange): Promise<CountResult[]> {
  return pMap(partitions, (partition) => countShard(context, partition, range), { concurrency: context.concurrency });
}

async function countShard({ store }: ReadContext, partition: string, range: KeyRange): Promise<CountResult> {
  const { from, to, exact } = sendableRange(range);
  const result: CountResult = { count: 0, rcu: 0 };
  // A range that had to be cut holds keys that were not asked for: then the keys themselves are needed.
  const request = { index: 'gsi0', partition, sortKey: { from, to }, countOnly: exact } as const;
  for await (const { items, count } of pages(store, request, result)) {
    const keys = items.map((item) => stringOf(item[INDEX_KEYS.gsi0.sort])!);
    result.count += exact ? count : keys.filter((key) => inRange(range, key)).length;
  }
  return result;
}
