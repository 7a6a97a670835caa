import { type Item, stringOf } from '../../../src/core/items/attribute-value.ts';
import { readUnits } from '../../../src/core/items/capacity.ts';
import { INDEX_KEYS } from '../../../src/core/items/derived-item.ts';
import { compareKeys } from '../../../src/core/items/encoding.ts';
import { fnv1a } from '../../../src/core/items/shard.ts';
import type { IndexName, TableNames } from '../../../src/core/model/compiled.ts';
import type { ScanPage, ScanRequest } from '../../../src/core/store-port.ts';
import type { MemoryIndex } from './index.ts';
import { copyOut, refused, type StoredItem } from './item.ts';
import type { MemoryPartition } from './partition.ts';
import { PAGE_BYTES } from './query.ts';

/**
 * One page of a scan as DynamoDB gives it. Partitions come in the order of their keys; DynamoDB's order is by hash, and
 * that of an index by its own keys.
 */
export function scanPage(
  table: TableNames,
  { segment, segments, startKey, limit, consistent = false, index }: ScanRequest,
  partitions: ReadonlyMap<string, MemoryPartition>,
  of: MemoryIndex | undefined,
): ScanPage {
  if (!(segment >= 0 && segment < segments)) throw refused(`there is no segment ${segment} of ${segments}`);
  if (limit !== undefined && limit < 1) throw refused('a limit is less than 1');
  if (index !== undefined && consistent) throw refused('no index is read consistently');
  const names = index && INDEX_KEYS[index];
  const isIn = ({ item }: StoredItem): boolean =>
    names === undefined || (item[names.partition] !== undefined && item[names.sort] !== undefined);
  const start = startKey && placeOf(table, startKey);
  if (names !== undefined && startKey !== undefined && !(names.partition in startKey && names.sort in startKey))
    throw refused("a start key of an index lacks the index's keys");
  const items: Item[] = [];
  let bytes = 0;
  let last: StoredItem | undefined;
  for (const source of [...partitions.keys()].sort(compareKeys)) {
    if (fnv1a(source) % segments !== segment) continue;
    const order = start === undefined ? 1 : compareKeys(source, start.source);
    if (order < 0) continue;
    for (const { sortKey, stored: whole } of partitions.get(source)!.inOrder()) {
      if (order === 0 && compareKeys(sortKey, start!.target) <= 0) continue;
      if (!isIn(whole)) continue;
      const stored = of === undefined ? whole : of.asIndexed(whole);
      if (items.length === limit || (last !== undefined && bytes + stored.sizeBytes > PAGE_BYTES)) {
        const lastKey = { ...keyOf(table, last!), ...(names && keysIn(names, last!)) };
        return { items, lastKey, rcu: readUnits(bytes, consistent) };
      }
      items.push(copyOut(stored.item));
      bytes += stored.sizeBytes;
      last = stored;
    }
  }
  return { items, rcu: readUnits(bytes, consistent) };
}

function placeOf({ partitionKey, sortKey }: TableNames, startKey: Item): { source: string; target: string } {
  const source = stringOf(startKey[partitionKey]);
  const target = stringOf(startKey[sortKey]);
  if (source === undefined || target === undefined) throw refused('a start key has no text in its keys');
  return { source, target };
}

function keyOf({ partitionKey, sortKey }: TableNames, { source, target }: StoredItem): Item {
  return { [partitionKey]: { S: source }, [sortKey]: { S: target } };
}

function keysIn({ partition, sort }: (typeof INDEX_KEYS)[IndexName], { item }: StoredItem): Item {
  return { [partition]: item[partition]!, [sort]: item[sort]! };
}
