import pMap from 'p-map';
import { type Item, stringOf } from '../../../core/items/attribute-value.ts';
import { INDEX_KEYS } from '../../../core/items/derived-item.ts';
import { compareKeys } from '../../../core/items/encoding.ts';
import { type Filter, passesFilter } from '../../../core/items/filter.ts';
import type { IndexPartitionKey } from '../../../core/items/keys.ts';
import type { CompiledModel, IndexName } from '../../../core/model/compiled.ts';
import { type ItemKeys, isHitOf } from '../../../core/model/projection/index-places.ts';
import type { Store } from '../../../core/store-port.ts';
import type { Overlay } from '../../session/own-writes.ts';
import type { ReadContext } from '../request/context.ts';
import { isEmptyRange, isInRange, type KeyRange, rangeAfter, rangeFrom, sendableRange } from '../request/key-range.ts';
import { projectedAttributes } from '../request/result.ts';
import { Budget, LEAST_FILTERED } from './budget.ts';

/**
 * Scatter and gather: one page of items, in key order, out of any number of partitions of the table or of an index.
 *
 * The sort keys of accepted items have to be unique over all partitions asked, as those of index items are (value,
 * separator, source). So a page is wholly determined by the key that it comes after: no partition's own position has to
 * be kept, and items that are written or deleted between two pages shift none of the others.
 *
 * Pages of a walk keep it nevertheless: a page of 100 items out of 200 partitions reads some thousand, and the pages after it would read
 * them again.
 */

/** The partitions to gather from: of an index those that places name, or of the table any. */
type Gatherable =
  | { index: IndexName; partitions: readonly IndexPartitionKey[] }
  | { index?: undefined; partitions: readonly string[] };

/** A request to gather. */
export type ScatterRequest = Gatherable & Gathering;

interface Gathering {
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
  /** Values that projected attributes have to have; DynamoDB leaves the other items out. */
  where?: Filter;
  /**
   * Read capacity units after which the page ends, however few items it has; half a unit for each partition at least.
   * Default: none.
   */
  maxRcu?: number;
  /** Tells whether an item of the range belongs to the answer; a partition may hold items of other lists. */
  accept: (item: Item) => boolean;
  /** Replaces rows: they are left out, and the overlay's items are merged in like those of one more shard. */
  overlay?: Overlay;
  /** How many items of the range are known not to be accepted; asking for as many more saves a call. Default 0. */
  unwanted?: number;
  /** The page is one of a walk: its `standing` is needed, and it goes on from that of the page before. Default: one page alone. */
  walk?: { standing?: Standing | undefined } | undefined;
}

/** The part of a `ReadContext` that scattering needs. */
export type ScatterContext = Pick<ReadContext, 'graph' | 'concurrency'> & { store: Pick<Store, 'query'> };

/** One page. */
export interface Gathered {
  items: Item[];
  /**
   * Where the next page goes on, where something remains, or may remain since the units are spent: the sort key of the
   * last item, or of the last one that was looked at. Absent exactly when nothing remains.
   */
  lastKey?: string;
  /** DynamoDB calls made. */
  calls: number;
  /** Of a page of a walk that has a `lastKey`: what the next page goes on from. */
  standing?: Standing;
}

/** Where a walk stands in each partition behind a page. Nothing changes it: a page may be read again from the same one. */
export interface Standing {
  readonly shards: readonly Readonly<Shard>[];
  /** The items that were read and not given yet, in order. Whatever wants to leave some of them out may. */
  readonly ahead: readonly Found[];
}

/** Half a read unit pays for 4 KB: a first look at one of many shards asks for a few items more than its share. */
const LEAST_ASKED = 16;
/** The most items that a walk reads ahead in a partition whose items are used up, and in all partitions together. */
const [MOST_AHEAD, MOST_AHEAD_OF_ALL] = [100, 20_000];
/** Query's `Limit` is a 32-bit integer. */
export const MOST_ASKED = 2 ** 31 - 1;

/** A partition and how far it was read. */
interface Shard {
  partition: string;
  /** The last sort key read, accepted or not. */
  horizon?: string;
  startKey?: Item;
  isAtEnd: boolean;
  /** Items of the last page that were not accepted. */
  skipped: number;
}

/** An item and its sort key. */
export interface Found {
  key: string;
  item: Item;
}

/** Items read, and their cost so far. */
interface Reading {
  range: KeyRange;
  budget: Budget;
}

/** Below zero where the left key comes first. */
type Order = (left: string, right: string) => number;

/**
 * Gathers one page and looks one item ahead to tell whether more remain.
 *
 * Round by round: ask the shards that can still hold an accepted item, merge, keep the first `limit + 1`. A
 * shard can, if it is not at its end and was read less far than the last of those: what it still holds comes after
 * what it gave. When no shard can, the page is final. Where the units are spent before that, it ends where the shard
 * that was read least far ends: up to there all is known.
 */
export async function gatherPage(context: ScatterContext, request: ScatterRequest): Promise<Gathered> {
  const { range, after, reverse = false, limit, maxRcu = Number.POSITIVE_INFINITY, walk } = request;
  const remaining = rangeAfter(range, after, reverse);
  if (isEmptyRange(remaining)) return { items: [], calls: 0 };
  const reading: Reading = { range: remaining, budget: new Budget(maxRcu) };
  const order = reverse ? (left: string, right: string) => compareKeys(right, left) : compareKeys;
  const needed = limit + 1;
  const shards = shardsOf(request);
  // rule: own-writes-are-merged-first
  const own = overlayItems(context, request, remaining);
  let found = walk?.standing?.ahead ?? [];
  let first = inOrder([...own, ...found.slice(0, needed)], order).slice(0, needed);
  const final = (first: readonly Found[], lastKey?: string): Gathered => {
    const { calls } = reading.budget;
    // rule: page-is-cut-after-own-writes-are-merged
    const items = first.slice(0, limit).map(({ item }) => item);
    if (lastKey === undefined) return { items, calls };
    const ahead = (): Found[] => found.filter(({ key }) => order(key, lastKey) > 0);
    return { items, lastKey, calls, ...(walk && { standing: { shards, ahead: ahead() } }) };
  };
  let toAsk = unfinished(shards, first[needed - 1]?.key, order);
  while (toAsk.length > 0) {
    const known = first;
    const asked = affordableShards(toAsk, reading.budget, order);
    const most = reading.budget.itemsOfCall(asked.length);
    const pages = await pMap(
      asked,
      (shard) => {
        const { horizon } = shard;
        const certain = horizon === undefined ? 0 : known.filter(({ key }) => order(key, horizon) <= 0).length;
        return readShard(context, request, reading, shard, itemsToAskFor(request, shard, needed - certain, most));
      },
      { concurrency: context.concurrency },
    );
    const read = inOrder([...found, ...pages.flat()], order);
    found = walk === undefined ? read.slice(0, needed) : read;
    first = inOrder([...own, ...found.slice(0, needed)], order).slice(0, needed);
    toAsk = unfinished(shards, first[needed - 1]?.key, order);
    const frontier = reading.budget.callsLeft() > 0 ? undefined : leastReadKey(toAsk, order);
    // The page may end here only if its cursor moves: with an unmoved cursor the same page would be asked for without end. So it reads on, beyond the bound.
    if (frontier !== undefined && (after === undefined || order(after, frontier) < 0)) {
      return final(
        first.filter(({ key }) => order(key, frontier) <= 0),
        frontier,
      );
    }
  }
  // rule: cursor-is-the-last-item-given
  return final(first, first.length > limit ? first[limit - 1]!.key : undefined);
}

/** The partitions as a page begins: unread, or where the page before of its walk stands. */
function shardsOf({ partitions, walk }: ScatterRequest): Shard[] {
  return (
    walk?.standing?.shards.map(({ partition, horizon, isAtEnd }) => ({ partition, horizon, isAtEnd, skipped: 0 })) ??
    partitions.map((partition) => ({ partition, isAtEnd: false, skipped: 0 }))
  );
}

/** Items by their keys, each key once: an item that has just moved to another shard may show in both for a moment. */
function inOrder(found: Found[], order: Order): Found[] {
  return found
    .sort((left, right) => order(left.key, right.key))
    .filter(({ key }, i, sorted) => key !== sorted[i - 1]?.key);
}

/** The shards that can still hold an item up to the cutoff; undefined: an item of any key. */
function unfinished(shards: readonly Shard[], cutoff: string | undefined, order: Order): Shard[] {
  return shards.filter(({ isAtEnd, horizon }) => {
    if (isAtEnd) return false;
    return cutoff === undefined || horizon === undefined || order(horizon, cutoff) < 0;
  });
}

/** The shards to ask now: those that are unread, then as many as the units are enough for, the least read ones first. */
function affordableShards(shards: Shard[], budget: Budget, order: Order): Shard[] {
  if (budget.isUnmeasured()) return shards.slice(0, 1);
  const unread = shards.filter(({ horizon }) => horizon === undefined);
  const calls = Math.max(1, unread.length, budget.callsLeft());
  if (shards.length <= calls) return shards;
  const read = shards.filter(({ horizon }) => horizon !== undefined);
  return [...unread, ...read.sort((left, right) => order(left.horizon!, right.horizon!))].slice(0, calls);
}

/** How far each of some shards was read; undefined where one of them was not. */
function leastReadKey(shards: readonly Shard[], order: Order): string | undefined {
  const horizons = shards.map(({ horizon }) => horizon);
  if (horizons.includes(undefined)) return undefined;
  return (horizons as string[]).sort(order)[0];
}

/**
 * The number of items to ask a shard for: at most those that the page can still use and those likely to be skipped; at most
 * `most`, but enough to make progress. A walk asks a shard whose items are used up for some that later pages use.
 */
function itemsToAskFor(request: ScatterRequest, shard: Shard, expected: number, most: number): number {
  const { partitions, where, unwanted = 0 } = request;
  // Descending, the item of the cursor is read once more and dropped; and going on in a walk, that of the horizon.
  const isResumed = mustResume(shard);
  const isRepeated = isResumed || (request.reverse === true && request.after !== undefined);
  const inTheWay = (isRepeated ? 1 : 0) + unwanted;
  const share = Math.ceil((2 * expected) / partitions.length);
  const ahead = Math.max(share, LEAST_ASKED, Math.min(MOST_AHEAD, Math.floor(MOST_AHEAD_OF_ALL / partitions.length)));
  // Counting what was skipped more than once makes longer and longer pages through a long stretch of items of others.
  const onward =
    where === undefined ? expected + 2 * shard.skipped : Math.max(LEAST_FILTERED, expected + 4 * shard.skipped);
  const isBegun = shard.startKey !== undefined;
  const likely = isBegun
    ? onward
    : isResumed
      ? ahead + inTheWay
      : Math.min(expected, Math.max(share, LEAST_ASKED)) + inTheWay;
  const least = isBegun ? 1 : 1 + inTheWay;
  return Math.max(least, Math.min(MOST_ASKED, likely, most));
}

/** Tells whether a shard was read by an earlier page of the walk, and not by this one. */
function mustResume({ startKey, horizon }: Shard): boolean {
  return startKey === undefined && horizon !== undefined;
}

/** The items of the overlay that the page may hold. */
function overlayItems(
  { graph }: ScatterContext,
  { index, after, overlay, accept, where }: ScatterRequest,
  range: KeyRange,
) {
  const attribute = sortKeyAttribute(graph, index);
  return (overlay?.items ?? []).flatMap((item): Found[] => {
    const key = stringOf(item[attribute]) ?? '';
    if (key === after || !isInRange(range, key) || !accept(item)) return [];
    // rule: filter-holds-for-own-writes
    return hasProjected(item, where) ? [{ key, item }] : [];
  });
}

async function readShard(
  context: ScatterContext,
  request: ScatterRequest,
  reading: Reading,
  shard: Shard,
  limit: number,
): Promise<Found[]> {
  const { index, after, reverse, consistent, where, accept } = request;
  const { range } = reading;
  const { partition, startKey, horizon } = shard;
  // By its key, since the item may be gone since, and not every engine goes on behind an item that is gone.
  const { from, to } = sendableRange(mustResume(shard) ? rangeFrom(range, horizon!, reverse === true) : range);
  const sortKey = { from, to };
  const page = await context.store.query({ index, partition, sortKey, limit, startKey, reverse, consistent, where });
  reading.budget.spend(page.rcu, page.scanned);
  const attribute = sortKeyAttribute(context.graph, index);
  shard.startKey = page.lastKey;
  shard.isAtEnd = page.lastKey === undefined;
  shard.horizon = stringOf(page.lastKey?.[attribute]);
  const found: Found[] = [];
  shard.skipped = page.scanned - page.items.length;
  for (const item of page.items) {
    const key = stringOf(item[attribute])!;
    if (key === after || !isInRange(range, key)) continue;
    // Whatever the index holds of a base item that was just written, the overlay knows better.
    // rule: rows-of-own-writes-are-left-out
    if (accept(item) && request.overlay?.isReplaced(item) !== true) found.push({ key, item });
    else shard.skipped += 1;
  }
  return found;
}

/**
 * Which items of an index partition are hits: those whose keys in the table the projection makes. A producer's own attributes
 * may have the names of index keys, which puts base items into the index; somebody may have put derived items there; and a
 * node may be among its own edges as their target.
 */
export function hitTest(model: CompiledModel, keys: ItemKeys): (item: Item) => boolean {
  return (item) =>
    isHitOf(keys, stringOf(item[model.table.partitionKey]) ?? '', stringOf(item[model.table.sortKey]) ?? '');
}

/** Tells whether the projected attributes of an item pass a filter. */
export function hasProjected(item: Item, where: Filter = []): boolean {
  return passesFilter(projectedAttributes(item) ?? {}, where);
}

function sortKeyAttribute(graph: CompiledModel, index: IndexName | undefined): string {
  return index === undefined ? graph.table.sortKey : INDEX_KEYS[index].sort;
}
