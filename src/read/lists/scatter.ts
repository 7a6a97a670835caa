import pMap from 'p-map';
import { type Item, stringOf } from '../../items/attribute-value.ts';
import { INDEX_KEYS } from '../../items/derived-item.ts';
import { classifyDerivedKey } from '../../items/derived-key.ts';
import { compareKeys } from '../../items/encoding.ts';
import type { CompiledModel, IndexName } from '../../model/compiled.ts';
import type { Overlay } from '../../session/own-writes.ts';
import type { Store } from '../../store/port.ts';
import type { ReadContext } from '../request/context.ts';
import { inRange, isEmptyRange, type KeyRange, rangeAfter, sendableRange } from '../request/key-range.ts';

/**
 * Scatter and gather: one page of items, in key order, out of any number of partitions of the table or of an index.
 *
 * The sort keys of the wanted items have to be unique over all partitions asked, as those of index items are (value,
 * separator, source). So a page is wholly determined by the key that it comes after: no partition's own position has to
 * be kept, and items that are written or deleted between two pages shift none of the others.
 */

/** What to gather. */
export interface ScatterRequest {
  /** The index; the table itself where absent. */
  index?: IndexName;
  /** Partition keys. */
  partitions: readonly string[];
  /** Sort keys. */
  range: KeyRange;
  /** Go on after this sort key. */
  after?: string;
  /** Descending. */
  reverse?: boolean;
  /** At most this many items. */
  limit: number;
  /** Only for the table. */
  consistent?: boolean;
  /** Which items of the range are wanted; a partition may hold items of others. Default: those of `isIndexItem`. */
  accept?: (item: Item) => boolean;
  /** What stands in the place of some rows: they are left out, and these items are merged in, as of one shard more. */
  overlay?: Overlay;
  /** How many items of the range are known not to be accepted; asking for as many more saves a call. Default 0. */
  unwanted?: number;
}

/** What scattering needs of a `ReadContext`. */
export type ScatterContext = Pick<ReadContext, 'graph' | 'concurrency'> & { store: Pick<Store, 'query'> };

/** One page. */
export interface Gathered {
  items: Item[];
  /** The sort key of the last item, where more remain; absent exactly when nothing remains. */
  lastKey?: string;
  /** DynamoDB calls made. */
  calls: number;
  /** Read capacity units consumed. */
  rcu: number;
}

/** Half a read unit pays for 4 KB: a first look at one of many shards asks for a few items more than its share. */
const LEAST_ASKED = 16;
/** Query's `Limit` is a 32-bit integer. */
const MOST_ASKED = 2 ** 31 - 1;

/** A partition and how far it was read. */
interface Shard {
  partition: string;
  /** The last sort key read, wanted or not. */
  horizon?: string;
  startKey?: Item;
  isAtEnd: boolean;
  /** Items of the last page that were not accepted. */
  skipped: number;
}

interface Found {
  key: string;
  item: Item;
}

/**
 * Gathers one page and looks one item ahead to tell whether more remain.
 *
 * Round by round: ask the shards that can still hold one of the wanted items, merge, keep the first `limit + 1`. A
 * shard can, if it is not at its end and was read less far than the last of those: what it still holds comes after
 * what it gave. When no shard can, the page is final.
 */
export async function scatter(context: ScatterContext, request: ScatterRequest): Promise<Gathered> {
  const { range, after, reverse = false, limit } = request;
  const remaining = rangeAfter(range, after, reverse);
  const gathered: Gathered = { items: [], calls: 0, rcu: 0 };
  if (isEmptyRange(remaining)) return gathered;
  const order = reverse ? (left: string, right: string) => compareKeys(right, left) : compareKeys;
  const needed = limit + 1;
  const shards = request.partitions.map((partition): Shard => ({ partition, isAtEnd: false, skipped: 0 }));
  let first = overlayItems(context, request, remaining).sort((left, right) => order(left.key, right.key));
  let toAsk = shards;
  while (toAsk.length > 0) {
    const found = first;
    const pages = await pMap(
      toAsk,
      (shard) => {
        const { horizon } = shard;
        const certain = horizon === undefined ? 0 : found.filter(({ key }) => order(key, horizon) <= 0).length;
        return readShard(context, request, remaining, shard, howMany(request, shard, needed - certain), gathered);
      },
      { concurrency: context.concurrency },
    );
    first = [...found, ...pages.flat()]
      .sort((left, right) => order(left.key, right.key))
      // An item that has just moved to another shard may show in both for a moment.
      .filter(({ key }, i, sorted) => key !== sorted[i - 1]?.key)
      .slice(0, needed);
    const cutoff = first[needed - 1]?.key;
    toAsk = shards.filter(({ isAtEnd, horizon }) => {
      if (isAtEnd) return false;
      return cutoff === undefined || horizon === undefined || order(horizon, cutoff) < 0;
    });
  }
  gathered.items = first.slice(0, limit).map(({ item }) => item);
  if (first.length > limit) gathered.lastKey = first[limit - 1]!.key;
  return gathered;
}

/** How many items to ask a shard for: never more than may be wanted of it, and what is likely to be in the way. */
function howMany(request: ScatterRequest, shard: Shard, wanted: number): number {
  // Counting what was skipped twice doubles the pages through a long stretch of items of others.
  if (shard.horizon !== undefined) return Math.min(MOST_ASKED, wanted + 2 * shard.skipped);
  // Descending, the item that the cursor stands for is read once more and dropped.
  const inTheWay = (request.reverse && request.after !== undefined ? 1 : 0) + (request.unwanted ?? 0);
  const share = Math.ceil((2 * wanted) / request.partitions.length);
  return Math.min(MOST_ASKED, Math.min(wanted, Math.max(share, LEAST_ASKED)) + inTheWay);
}

/** The items of the overlay that the page may hold. */
function overlayItems({ graph }: ScatterContext, { index, after, overlay, accept }: ScatterRequest, range: KeyRange) {
  const attribute = sortKeyAttribute(graph, index);
  return (overlay?.items ?? []).flatMap((item): Found[] => {
    const key = stringOf(item[attribute]) ?? '';
    return key !== after && inRange(range, key) && accept?.(item) !== false ? [{ key, item }] : [];
  });
}

async function readShard(
  context: ScatterContext,
  request: ScatterRequest,
  range: KeyRange,
  shard: Shard,
  limit: number,
  totals: Pick<Gathered, 'calls' | 'rcu'>,
): Promise<Found[]> {
  const { index, after, reverse, consistent } = request;
  const { from, to } = sendableRange(range);
  const { partition, startKey } = shard;
  const sortKey = { from, to };
  const page = await context.store.query({ index, partition, sortKey, limit, startKey, reverse, consistent });
  totals.calls += 1;
  totals.rcu += page.rcu;
  const attribute = sortKeyAttribute(context.graph, index);
  shard.startKey = page.lastKey;
  shard.isAtEnd = page.lastKey === undefined;
  shard.horizon = stringOf(page.lastKey?.[attribute]);
  const accept = request.accept ?? ((item: Item) => isIndexItem(context.graph, item));
  const found: Found[] = [];
  shard.skipped = 0;
  for (const item of page.items) {
    const key = stringOf(item[attribute])!;
    if (key === after || !inRange(range, key)) continue;
    // Whatever the index holds of a base item that was just written, the overlay knows better.
    if (accept(item) && request.overlay?.isReplaced(item) !== true) found.push({ key, item });
    else shard.skipped += 1;
  }
  return found;
}

/**
 * Whether an item of an index is a hit: a producer's own attributes may have the names of index keys, which puts base items
 * into the index, and a node may be among its own edges as their owner.
 */
export function isIndexItem(graph: CompiledModel, item: Item): boolean {
  const sortKey = stringOf(item[graph.table.sortKey]) ?? '';
  return classifyDerivedKey(sortKey)?.kind === 'index-item';
}

function sortKeyAttribute(graph: CompiledModel, index: IndexName | undefined): string {
  return index === undefined ? graph.table.sortKey : INDEX_KEYS[index].sort;
}
