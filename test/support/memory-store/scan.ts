import { type Item, stringOf } from '../../../src/items/attribute-value.ts';
import { compareKeys } from '../../../src/items/encoding.ts';
import { fnv1a } from '../../../src/items/shard.ts';
import type { TableNames } from '../../../src/model/compiled.ts';
import type { ScanPage, ScanRequest } from '../../../src/store/port.ts';
import { copyOut, refused, type StoredItem } from './item.ts';
import type { MemoryPartition } from './partition.ts';
import { PAGE_BYTES, readUnits } from './query.ts';

/** One page of a scan as DynamoDB gives it. Partitions come in the order of their keys; DynamoDB's order is by hash. */
export function scanPage(
  table: TableNames,
  { segment, segments, startKey, limit }: ScanRequest,
  partitions: ReadonlyMap<string, MemoryPartition>,
): ScanPage {
  if (!(segment >= 0 && segment < segments)) throw refused(`there is no segment ${segment} of ${segments}`);
  if (limit !== undefined && limit < 1) throw refused('a limit is less than 1');
  const start = startKey && placeOf(table, startKey);
  const items: Item[] = [];
  let bytes = 0;
  let last: StoredItem | undefined;
  for (const source of [...partitions.keys()].sort(compareKeys)) {
    if (fnv1a(source) % segments !== segment) continue;
    const order = start === undefined ? 1 : compareKeys(source, start.source);
    if (order < 0) continue;
    for (const { sortKey, stored } of partitions.get(source)!.inOrder()) {
      if (order === 0 && compareKeys(sortKey, start!.target) <= 0) continue;
      if (items.length === limit || (last !== undefined && bytes + stored.sizeBytes > PAGE_BYTES)) {
        return { items, lastKey: keyOf(table, last!), rcu: readUnits(bytes, false) };
      }
      items.push(copyOut(stored.item));
      bytes += stored.sizeBytes;
      last = stored;
    }
  }
  return { items, rcu: readUnits(bytes, false) };
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
