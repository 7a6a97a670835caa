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
import { isEmptyRange, isInRange, type KeyRange, rangeAfter, rangeFrom, sendableRange } from '../request/key-range.ts';
import type { ReadContext } from '../request/read-context.ts';
import { projectedAttributes } from '../request/result.ts';
import { Budget, LEAST_FILTERED } from './budget.ts';

export type ScatterRequest = Gathering &
  (
    | { index: IndexName; partitions: readonly IndexPartitionKey[] }
    | { index?: undefined; partitions: readonly string[] }
  );

interface Gathering {
  range: KeyRange;
  after?: string;
  reverse?: boolean;
  limit: number;
  /** Allowed only for the table, not for an index. */
  consistent?: boolean;
  where?: Filter;
  maxRcu?: number;
  accept: (item: Item) => boolean;
  overlay?: Overlay;
  /** How many items `accept` is expected to reject. Requesting that many more saves a call. Default: 0. */
  unwanted?: number;
  /** Set by a walk: the page continues from the previous page's `standing` and returns its own. */
  walk?: { standing?: Standing | undefined } | undefined;
}

export type ScatterContext = Pick<ReadContext, 'graph' | 'concurrency'> & { store: Pick<Store, 'query'> };

export interface Gathered {
  items: Item[];
  lastKey?: string;
  standing?: Standing;
}

/** The state of a walk after a page. Immutable, so that a page can be read again. */
export interface Standing {
  readonly shards: readonly Readonly<Shard>[];
  /** Items read but not returned yet, in order. Callers may drop some of them. */
  readonly ahead: readonly Found[];
}

/** Requesting fewer items from a shard saves nothing: even the smallest Query pays for 4 KB. */
const LEAST_ASKED = 16;
/** Items that a walk may read ahead from one partition, and from all partitions together. */
const [MOST_AHEAD, MOST_AHEAD_OF_ALL] = [100, 20_000];
/** Query's `Limit` is a 32-bit integer. */
export const MOST_ASKED = 2 ** 31 - 1;

interface Shard {
  partition: string;
  /** The last sort key read, whether or not its item was accepted. */
  horizon?: string;
  startKey?: Item;
  isAtEnd: boolean;
  skipped: number;
}

export interface Found {
  key: string;
  item: Item;
}

interface Reading {
  range: KeyRange;
  budget: Budget;
}

type Order = (left: string, right: string) => number;

/**
 * Gathers a page in rounds: queries the shards that can still hold one of the first `limit + 1` items, and merges. If
 * the units run out, the page ends where the least-read shard ends.
 *
 * Accepted items must have unique sort keys across all partitions, so that a cursor needs only the last key. Walks also
 * keep each partition's position, because a page of 100 items from 200 partitions reads thousands of items.
 */
export async function mergePartitions(context: ScatterContext, request: ScatterRequest): Promise<Gathered> {
  const { range, after, reverse = false, limit, maxRcu = Number.POSITIVE_INFINITY, walk } = request;
  const remaining = rangeAfter(range, after, reverse);
  if (isEmptyRange(remaining)) return { items: [] };
  const reading: Reading = { range: remaining, budget: new Budget(maxRcu) };
  const order = reverse ? (left: string, right: string) => compareKeys(right, left) : compareKeys;
  const needed = limit + 1;
  const shards = shardsOf(request);
  // rule: own-writes-are-merged-first
  const own = overlayItems(context, request, remaining);
  let found = walk?.standing?.ahead ?? [];
  let first = sortedDistinct([...own, ...found.slice(0, needed)], order).slice(0, needed);
  const final = (first: readonly Found[], lastKey?: string): Gathered => {
    // rule: page-is-cut-after-own-writes-are-merged
    const items = first.slice(0, limit).map(({ item }) => item);
    if (lastKey === undefined) return { items };
    const ahead = (): Found[] => found.filter(({ key }) => order(key, lastKey) > 0);
    return { items, lastKey, ...(walk && { standing: { shards, ahead: ahead() } }) };
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
    const read = sortedDistinct([...found, ...pages.flat()], order);
    found = walk === undefined ? read.slice(0, needed) : read;
    first = sortedDistinct([...own, ...found.slice(0, needed)], order).slice(0, needed);
    toAsk = unfinished(shards, first[needed - 1]?.key, order);
    const frontier = reading.budget.callsLeft() > 0 ? undefined : leastReadKey(toAsk, order);
    // Read beyond the bound rather than return the same cursor, which would repeat the page forever.
    if (frontier !== undefined && (after === undefined || order(after, frontier) < 0)) {
      return final(
        first.filter(({ key }) => order(key, frontier) <= 0),
        frontier,
      );
    }
  }
  return final(first, first.length > limit ? first[limit - 1]!.key : undefined);
}

function shardsOf({ partitions, walk }: ScatterRequest): Shard[] {
  return (
    walk?.standing?.shards.map(({ partition, horizon, isAtEnd }) => ({ partition, horizon, isAtEnd, skipped: 0 })) ??
    partitions.map((partition) => ({ partition, isAtEnd: false, skipped: 0 }))
  );
}

/** Drops duplicates: an item that has just moved to another shard may briefly appear in both. */
function sortedDistinct(found: Found[], order: Order): Found[] {
  return found
    .sort((left, right) => order(left.key, right.key))
    .filter(({ key }, i, sorted) => key !== sorted[i - 1]?.key);
}

function unfinished(shards: readonly Shard[], cutoff: string | undefined, order: Order): Shard[] {
  return shards.filter(({ isAtEnd, horizon }) => {
    if (isAtEnd) return false;
    return cutoff === undefined || horizon === undefined || order(horizon, cutoff) < 0;
  });
}

/**
 * Returns all unread shards, then others while the units suffice, least-read first. The first round of a limited read
 * takes one shard.
 */
function affordableShards(shards: Shard[], budget: Budget, order: Order): Shard[] {
  if (budget.isUnmeasured()) return shards.slice(0, 1);
  const unread = shards.filter(({ horizon }) => horizon === undefined);
  const calls = Math.max(1, unread.length, budget.callsLeft());
  if (shards.length <= calls) return shards;
  const read = shards.filter(({ horizon }) => horizon !== undefined);
  return [...unread, ...read.sort((left, right) => order(left.horizon!, right.horizon!))].slice(0, calls);
}

function leastReadKey(shards: readonly Shard[], order: Order): string | undefined {
  const horizons = shards.map(({ horizon }) => horizon);
  if (horizons.includes(undefined)) return undefined;
  return (horizons as string[]).sort(order)[0];
}

function itemsToAskFor(request: ScatterRequest, shard: Shard, expected: number, most: number): number {
  const { partitions, where, unwanted = 0 } = request;
  // A descending query reads the cursor's item again, and a resumed walk the horizon's item; both are dropped.
  const isResumed = mustResume(shard);
  const isRepeated = isResumed || (request.reverse === true && request.after !== undefined);
  const inTheWay = (isRepeated ? 1 : 0) + unwanted;
  const share = Math.ceil((2 * expected) / partitions.length);
  const ahead = Math.max(share, LEAST_ASKED, Math.min(MOST_AHEAD, Math.floor(MOST_AHEAD_OF_ALL / partitions.length)));
  // Requests grow with the number of skipped items, so that long stretches of other lists' items take few calls.
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

function mustResume({ startKey, horizon }: Shard): boolean {
  return startKey === undefined && horizon !== undefined;
}

function overlayItems(
  { graph }: ScatterContext,
  { index, after, overlay, accept, where }: ScatterRequest,
  range: KeyRange,
) {
  const attribute = sortKeyAttribute(graph, index);
  return (overlay?.items ?? []).flatMap((item): Found[] => {
    const key = stringOf(item[attribute]) ?? '';
    if (key === after || !isInRange(range, key) || !accept(item)) return [];
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
  // Resume by key rather than by `startKey`: the item may be gone, and not every engine continues after a missing item.
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
    // The index may still hold the old row of a base item that the session has just written.
    // rule: rows-of-own-writes-are-left-out
    if (accept(item) && request.overlay?.isReplaced(item) !== true) found.push({ key, item });
    else shard.skipped += 1;
  }
  return found;
}

/**
 * The list's partition may also hold a target node, derived items of other lists, and base items with attributes named
 * like index keys.
 */
export function hitTest(model: CompiledModel, keys: ItemKeys): (item: Item) => boolean {
  return (item) =>
    isHitOf(keys, stringOf(item[model.table.partitionKey]) ?? '', stringOf(item[model.table.sortKey]) ?? '');
}

export function hasProjected(item: Item, where: Filter = []): boolean {
  return passesFilter(projectedAttributes(item) ?? {}, where);
}

function sortKeyAttribute(graph: CompiledModel, index: IndexName | undefined): string {
  return index === undefined ? graph.table.sortKey : INDEX_KEYS[index].sort;
}
