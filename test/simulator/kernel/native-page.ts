import {
  type AttributeValue,
  attributeOf,
  type Item,
  itemSizeBytes,
  numberOf,
  stringOf,
} from '../../../src/core/items/attribute-value.ts';
import { readUnits } from '../../../src/core/items/capacity.ts';
import { AS_WRITTEN, compareKeys, encodeValue } from '../../../src/core/items/encoding.ts';
import { hash128 } from '../../../src/core/items/keys.ts';
import type { TableNames } from '../../../src/core/model/compiled.ts';
import type { NativeIndex, NativeIndexNeed } from '../../../src/core/model/native-indexes.ts';
import type { NativeQueryRequest, QueryResult } from '../../../src/core/store-port.ts';
import { StoreError } from '../../../src/foundation/errors.ts';

/** A page's size at most: 1 MB. */
const PAGE_BYTES = 1024 * 1024;

/** One page of a partition of a native index, out of all items of a table. Items with one value come in an order that nobody promises. */
export function nativePage(
  table: TableNames,
  request: NativeQueryRequest,
  items: Iterable<Item>,
  need?: NativeIndexNeed,
): QueryResult {
  const { index, partition, from, to, reverse = false, limit, startKey } = request;
  if (limit !== undefined && (limit < 1 || limit > 2 ** 31 - 1)) throw refused('a limit is no number of 1 to 2^31 - 1');
  const expected = textOf(index, index.partition, partition);
  const low = from && textOf(index, index.sort, from);
  const high = to && textOf(index, index.sort, to);
  if (low !== undefined && high !== undefined && compareKeys(low, high) > 0)
    throw refused('a range ends before it begins');
  const isInRange = ({ sort }: Row): boolean =>
    (low === undefined || compareKeys(sort, low) >= 0) && (high === undefined || compareKeys(sort, high) <= 0);
  const found: Row[] = [];
  for (const item of items) {
    const row = rowOf(table, index, item);
    if (row?.partition === expected && isInRange(row)) found.push(row);
  }
  const direction = reverse ? -1 : 1;
  found.sort((left, right) => direction * compareRows(left, right));
  const names = [...new Set([index.partition, index.sort, table.partitionKey, table.sortKey])];
  const start = startKey && startRow(table, index, startKey, names);
  if (start !== undefined && (start.partition !== expected || !isInRange(start)))
    throw refused('a start key lies outside of its query');
  const rest = start === undefined ? found : found.filter((row) => direction * compareRows(row, start) > 0);
  const page: Row[] = [];
  let bytes = 0;
  for (const row of rest) {
    const size = itemSizeBytes(row.item);
    if (page.length === limit || (page.length > 0 && bytes + size > PAGE_BYTES)) break;
    bytes += size;
    page.push(row);
  }
  const isCut = page.length < rest.length || page.length === limit;
  const last = page.at(-1);
  const shown = need?.attributes && [...names, ...need.attributes];
  return {
    items: page.map(({ item }) => structuredClone(shown === undefined ? item : only(item, shown))),
    count: page.length,
    scanned: page.length,
    ...(isCut && last && { lastKey: only(last.item, names) }),
    rcu: readUnits(bytes, false),
  };
}

function only(item: Item, names: readonly string[]): Item {
  const shown = names.map((name): [string, AttributeValue | undefined] => [name, attributeOf(item, name)]);
  return Object.fromEntries(shown.filter((entry): entry is [string, AttributeValue] => entry[1] !== undefined));
}

interface Row {
  item: Item;
  partition: string;
  sort: string;
  /** The place among items with one value. */
  tie: string;
}

function compareRows(left: Row, right: Row): number {
  return compareKeys(left.sort, right.sort) || compareKeys(left.tie, right.tie);
}

/** The place of an item in an index; undefined: it lacks a key. */
function rowOf({ partitionKey, sortKey }: TableNames, index: NativeIndex, item: Item): Row | undefined {
  const partition = attributeOf(item, index.partition);
  const sort = attributeOf(item, index.sort);
  if (partition === undefined || sort === undefined) return undefined;
  const key = `${stringOf(item[partitionKey])}\0${stringOf(item[sortKey])}`;
  return {
    item,
    partition: textOf(index, index.partition, partition),
    sort: textOf(index, index.sort, sort),
    tie: hash128(key),
  };
}

function startRow(table: TableNames, index: NativeIndex, startKey: Item, names: readonly string[]): Row {
  const row = rowOf(table, index, startKey);
  if (row !== undefined && Object.keys(startKey).length === names.length && names.every((name) => name in startKey))
    return row;
  throw refused(`a start key should have ${names.join(', ')} and nothing else`);
}

function textOf({ name: indexName, attribute, type }: NativeIndex, name: string, value: AttributeValue): string {
  if (name === attribute && type === 'N') {
    if (numberOf(value) === undefined) throw refused(`${name}, a key of index ${indexName}, is no number`);
    return encodeValue(value, 'number', AS_WRITTEN);
  }
  const text = stringOf(value);
  if (text === undefined) throw refused(`${name}, a key of index ${indexName}, is no text`);
  if (text === '') throw refused(`${name}, a key of index ${indexName}, is empty`);
  return text;
}

function refused(message: string): StoreError {
  return new StoreError('terminal', 'ValidationException', `The table refused the query: ${message}.`);
}
