import {
  type AttributeValue,
  attributeOf,
  type Item,
  itemSizeBytes,
  numberOf,
  stringOf,
} from '../../../src/core/items/attribute-value.ts';
import { readUnits } from '../../../src/core/items/capacity.ts';
import { compareKeys, encodeValue } from '../../../src/core/items/encoding.ts';
import { hash128 } from '../../../src/core/items/keys.ts';
import type { TableNames } from '../../../src/core/model/compiled.ts';
import type { NativeIndex } from '../../../src/core/model/native.ts';
import type { NativeQueryRequest, QueryResult } from '../../../src/core/store-port.ts';
import { refused } from './item.ts';
import { PAGE_BYTES } from './query.ts';

/** One page of a partition of a native index, out of all items of a table. Items with one value come in an order that nobody promises. */
export function nativePage(table: TableNames, request: NativeQueryRequest, items: Iterable<Item>): QueryResult {
  const { index, partition, from, to, reverse = false, limit, startKey } = request;
  const wanted = textOf(index, index.partition, partition);
  const low = from && textOf(index, index.sort, from);
  const high = to && textOf(index, index.sort, to);
  if (low !== undefined && high !== undefined && compareKeys(low, high) > 0)
    throw refused('a range ends before it begins');
  const found: Row[] = [];
  for (const item of items) {
    const row = rowOf(table, index, item);
    if (row === undefined || row.partition !== wanted) continue;
    if (low !== undefined && compareKeys(row.sort, low) < 0) continue;
    if (high !== undefined && compareKeys(row.sort, high) > 0) continue;
    found.push(row);
  }
  const direction = reverse ? -1 : 1;
  found.sort((left, right) => direction * compareRows(left, right));
  const start = startKey && rowOf(table, index, startKey);
  if (startKey !== undefined && start === undefined) throw refused('a start key lacks a key of the index');
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
  const names = new Set([index.partition, index.sort, table.partitionKey, table.sortKey]);
  const last = page.at(-1);
  return {
    items: page.map(({ item }) => structuredClone(item)),
    count: page.length,
    scanned: page.length,
    ...(isCut &&
      last && { lastKey: Object.fromEntries([...names].map((name) => [name, attributeOf(last.item, name)!])) }),
    rcu: readUnits(bytes, false),
  };
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

function textOf({ attribute, type }: NativeIndex, name: string, value: AttributeValue): string {
  if (name === attribute && type === 'N') {
    if (numberOf(value) === undefined) throw refused(`${name} is no number`);
    return encodeValue(value, 'number', false);
  }
  const text = stringOf(value);
  if (text === undefined || text === '') throw refused(`${name} is no text that an index takes`);
  return text;
}
