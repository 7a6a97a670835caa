import pMap from 'p-map';
import { stringOf } from '../../../core/items/attribute-value.ts';
import { INDEX_KEYS } from '../../../core/items/derived-item.ts';
import type { IndexPartitionKey } from '../../../core/items/keys.ts';
import type { HashName } from '../../../core/items/shard.ts';
import type { SearchModel } from '../../../core/model/compiled.ts';
import { queryPages } from '../../../core/store-pages.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import { checkOptions } from '../../../foundation/options.ts';
import type { CallResult } from '../../call/capacity.ts';
import { affectsInbound } from '../../session/own-writes.ts';
import { isInRange, type KeyRange, sendableRange } from '../request/key-range.ts';
import type { OrderValue } from '../request/order-argument.ts';
import { mustReadConsistently } from '../request/own.ts';
import { type EveryReadOptions, READ_OPTIONS, type ReadContext } from '../request/read-context.ts';
import { resolveInboundQuery } from './inbound.ts';
import { EDGE_CHOICE_OPTIONS, type InboundQuery } from './inbound-query.ts';
import { countNative } from './native-list.ts';
import type { PlacedList } from './placed-list.ts';
import { isSearched, resolveSearch } from './search-list.ts';
import { SCOPE_OPTIONS, type SearchPredicate, type SearchScope } from './search-query.ts';

/** The number of hits or edges. */
export interface CountResult extends CallResult {
  count: number;
  /** True if `maxRcu` was reached, so there may be more. */
  truncated?: true;
  /** False if the session's own writes may be missing. */
  exact?: false;
}

/** Limits the cost of a count. */
export interface CountBound {
  /**
   * Maximum read capacity units, at least half a unit per partition. Exceeded by at most one call per partition.
   * Default: no limit, or 50 for rows that a native list hides.
   */
  maxRcu?: number | undefined;
}

/** Options of `inDegree`, as in `inbound`. */
export type InDegreeOptions<
  OrderName extends string = string,
  Value = OrderValue,
  Path = readonly OrderValue[],
  Whole = Value,
  Part = OrderValue,
> = Pick<
  InboundQuery<OrderName, Value, boolean, Record<string, unknown>, Path, Whole, Part>,
  'order' | 'atLeast' | 'equals' | 'path' | 'beginsWith' | 'partition' | 'between' | keyof EveryReadOptions
> &
  CountBound;

/** Options of a search's `count`. */
export interface CountScope extends SearchScope, CountBound {}

/** How a search's items are distributed over its shards. */
export interface ShardsResult extends CallResult {
  shards: number;
  items: number;
  /** The fullest shard. `shard` counts from 1, and `share` is from 0 to 1. */
  hottest: { shard: number; share: number };
  empty: number;
  hash: HashName;
}

export async function countSearch(
  context: ReadContext,
  search: SearchModel,
  predicate: SearchPredicate,
  options: CountScope,
): Promise<CountResult> {
  checkOptions(`search ${search.indexPartition}`, options, { ...SCOPE_OPTIONS, maxRcu: 'checked' });
  const { list, ranges } = resolveSearch(context, search, predicate, options);
  const isOwn = mustReadConsistently(context, (key) => isSearched(search, key));
  return await countOf(context, list, ranges, isOwn);
}

export async function readShards(
  context: ReadContext,
  declared: SearchModel,
  scope: SearchScope = {},
): Promise<ShardsResult> {
  checkOptions(`search ${declared.indexPartition}`, scope, SCOPE_OPTIONS);
  const search = context.projections.search(declared);
  if (search.shards === 'value') {
    throw new EdgeloomError(
      'not-declared',
      `The search ${search.indexPartition} has no shards to list: ${search.native ? 'it is native' : "with shards: 'value' each value is its own"}.`,
      `Count one value, or ${search.native ? 'leave native out of' : 'give the search a number of shards in'} the model.`,
    );
  }
  const { list } = resolveSearch(context, declared, {}, scope);
  const counts = (await countShards(context, list, [list.range])).map(({ count }) => count);
  const items = sumOf(counts);
  const most = Math.max(0, ...counts);
  return {
    shards: counts.length,
    items,
    hottest: { shard: Math.max(0, counts.indexOf(most)) + 1, share: items === 0 ? 0 : most / items },
    empty: counts.filter((count) => count === 0).length,
    hash: search.hash,
  };
}

export async function countInbound(
  context: ReadContext,
  target: string,
  edgeType: string,
  options: InDegreeOptions = {},
): Promise<CountResult> {
  checkOptions('inDegree', options, { ...EDGE_CHOICE_OPTIONS, maxRcu: 'checked', ...READ_OPTIONS });
  const query = resolveInboundQuery(context, target, edgeType, options);
  const isOwn = mustReadConsistently(context, (key) => affectsInbound(context.graph, query, key));
  return await countOf(context, query.list, [query.list.range], isOwn);
}

async function countOf(
  context: ReadContext,
  list: PlacedList,
  ranges: readonly KeyRange[],
  isOwn: boolean,
): Promise<CountResult> {
  const counts =
    list.native === undefined
      ? await countShards(context, list, ranges)
      : [await countNative(context, list.native, list)];
  return {
    count: sumOf(counts.map(({ count }) => count)),
    ...(counts.some(({ isCut }) => isCut) && { truncated: true as const }),
    ...(isOwn && { exact: false as const }),
  };
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

interface Count {
  count: number;
  isCut: boolean;
}

async function countShards(context: ReadContext, list: PlacedList, ranges: readonly KeyRange[]): Promise<Count[]> {
  const { concurrency } = context;
  const places = ranges.flatMap((range) => list.partitions.map((partition) => ({ partition, range })));
  return pMap(places, ({ partition, range }) => countShard(context, partition, list, range), { concurrency });
}

async function countShard(
  { store, spending }: ReadContext,
  partition: IndexPartitionKey,
  { index, itemKeys }: PlacedList,
  range: KeyRange,
): Promise<Count> {
  const { from, to, exact } = sendableRange(range);
  let total = 0;
  // A shortened range also contains other keys, so read the keys instead of counting.
  const request = { index, partition, sortKey: { from, to }, itemKeys, countOnly: exact } as const;
  for await (const { items, count, lastKey } of queryPages(store, request)) {
    const keys = items.map((item) => stringOf(item[INDEX_KEYS[index].sort])!);
    total += exact ? count : keys.filter((key) => isInRange(range, key)).length;
    if (lastKey !== undefined && spending?.isSpent === true) return { count: total, isCut: true };
  }
  return { count: total, isCut: false };
}
