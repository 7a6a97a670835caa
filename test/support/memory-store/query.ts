import { type Item, stringOf } from '../../../src/core/items/attribute-value.ts';
import { readUnits } from '../../../src/core/items/capacity.ts';
import { ATTRIBUTES, INDEX_KEYS } from '../../../src/core/items/derived-item.ts';
import { compareKeys } from '../../../src/core/items/encoding.ts';
import { type Filter, passesFilter } from '../../../src/core/items/filter.ts';
import { SORT_KEY_BYTES } from '../../../src/core/items/keys.ts';
import type { TableNames } from '../../../src/core/model/compiled.ts';
import { isHitOf } from '../../../src/core/model/projection/index-places.ts';
import type { QueryRequest, QueryResult } from '../../../src/core/store-port.ts';
import { copyOut, refused, type StoredItem } from './item.ts';
import { comparePlaces, type MemoryPartition, type PartitionEntry, type Place } from './partition.ts';

/** A page's size at most: 1 MB. */
export const PAGE_BYTES = 1024 * 1024;
/** One page of a partition as DynamoDB gives it: up to the limit or 1 MB, whichever comes first. */
export function readPage(
  table: TableNames,
  request: QueryRequest,
  partition: MemoryPartition | undefined,
): QueryResult {
  checkRequest(request);
  const inRange = rangeTest(request.sortKey);
  const start = request.startKey && startPlace(table, request, request.startKey, inRange);
  const direction = request.reverse === true ? -1 : 1;
  const found: StoredItem[] = [];
  let bytes = 0;
  let lastKey: Item | undefined;
  for (const entry of directed(partition?.inOrder() ?? [], direction)) {
    if (!inRange(entry.sortKey)) continue;
    if (start !== undefined && comparePlaces(entry, start) * direction <= 0) continue;
    if (found.length > 0 && bytes + entry.stored.sizeBytes > PAGE_BYTES) {
      lastKey = keyOf(table, request, found.at(-1)!);
      break;
    }
    found.push(entry.stored);
    bytes += entry.stored.sizeBytes;
    if (found.length === request.limit) {
      // DynamoDB stops here without a look at what follows, so the last key may lead to an empty page.
      lastKey = keyOf(table, request, entry.stored);
      break;
    }
  }
  const expected = found.filter(
    ({ item, source, target }) => isWanted(item, request.where) && hasKeys(request, source, target),
  );
  return {
    items: request.countOnly === true ? [] : expected.map(({ item }) => copyOut(item)),
    count: expected.length,
    scanned: found.length,
    lastKey,
    rcu: readUnits(bytes, request.consistent === true),
  };
}

/** Whether the item's map of projected attributes passes a filter. */
function isWanted(item: Item, where: Filter = []): boolean {
  const map = item[ATTRIBUTES];
  return passesFilter(map !== undefined && 'M' in map ? map.M : {}, where);
}

function hasKeys({ itemKeys }: QueryRequest, source: string, sortKey: string): boolean {
  return itemKeys === undefined || isHitOf(itemKeys, source, sortKey);
}

function* directed(entries: readonly PartitionEntry[], direction: 1 | -1): Generator<PartitionEntry> {
  const last = entries.length - 1;
  for (let i = 0; i <= last; i++) yield entries[direction === 1 ? i : last - i]!;
}

function checkRequest({ partition, sortKey, index, consistent, limit }: QueryRequest): void {
  if (partition === '') throw refused('the partition of a query is empty');
  if (index !== undefined && consistent === true) throw refused('an index has no consistent reads');
  if (limit !== undefined && limit < 1) throw refused('a limit is less than 1');
  if (sortKey === undefined) return;
  if ('beginsWith' in sortKey) {
    if (sortKey.beginsWith !== '') checkBound(sortKey.beginsWith);
    return;
  }
  const { from, to } = sortKey;
  if (from !== undefined) checkBound(from);
  if (to !== undefined) checkBound(to);
  if (from !== undefined && to !== undefined && compareKeys(from, to) > 0)
    throw refused('a range ends before it begins');
}

function checkBound(bound: string): void {
  if (bound === '') throw refused('a bound of a sort key is empty');
  if (Buffer.byteLength(bound) > SORT_KEY_BYTES) throw refused(`a bound has more than ${SORT_KEY_BYTES} bytes`);
}

function rangeTest(sortKey: QueryRequest['sortKey']): (text: string) => boolean {
  if (sortKey === undefined) return () => true;
  if ('beginsWith' in sortKey) return (text) => text.startsWith(sortKey.beginsWith);
  const { from, to } = sortKey;
  return (text) =>
    (from === undefined || compareKeys(text, from) >= 0) && (to === undefined || compareKeys(text, to) <= 0);
}

/** The names of the key attributes that a page's last key has, partition and sort key of the query first. */
function keyNames({ partitionKey, sortKey }: TableNames, { index }: QueryRequest): [string, string, ...string[]] {
  if (index === undefined) return [partitionKey, sortKey];
  return [INDEX_KEYS[index].partition, INDEX_KEYS[index].sort, partitionKey, sortKey];
}

function keyOf(table: TableNames, request: QueryRequest, stored: StoredItem): Item {
  return Object.fromEntries(keyNames(table, request).map((name) => [name, { S: stringOf(stored.item[name])! }]));
}

/** Where a query goes on. Throws where the key is not one that this query can have given out. */
function startPlace(
  table: TableNames,
  request: QueryRequest,
  startKey: Item,
  inRange: (text: string) => boolean,
): Place {
  const names = keyNames(table, request);
  const texts = names.map((name) => stringOf(startKey[name]));
  if (texts.some((text) => text === undefined || text === '') || Object.keys(startKey).length !== names.length) {
    throw refused(`a start key should have text in ${names.join(', ')} and nothing else`);
  }
  const [partition, sortKey] = texts as [string, string];
  if (partition !== request.partition || !inRange(sortKey)) throw refused('a start key lies outside of its query');
  return {
    sortKey,
    stored: { source: stringOf(startKey[table.partitionKey])!, target: stringOf(startKey[table.sortKey])! },
  };
}
