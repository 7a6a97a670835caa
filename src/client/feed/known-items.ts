import { type Item, stringOf } from '../../core/items/attribute-value.ts';
import { INDEX_KEYS, INDEX_NAMES, revisionOf } from '../../core/items/derived-item.ts';
import { isServicePartition } from '../../core/items/keys.ts';
import type { IndexName, TableNames } from '../../core/model/compiled.ts';
import type { IndexEntry } from '../../core/model/projection/list-of-place.ts';
import { withKnownIndexKeys } from '../../store/index-key-names.ts';
import { type ChangedItem, changedItem } from '../../stream/changed-items.ts';
import type { RawRecord } from '../../stream/raw-record.ts';

/**
 * Gives index keys their default names. Returns undefined for Edgeloom's internal items and for records without valid
 * keys.
 */
export function knownItem(table: TableNames, record: RawRecord): ChangedItem | undefined {
  const item = changedItem(table, record);
  if (item === undefined || isServicePartition(item.source)) return undefined;
  if (table.indexKeys === undefined) return item;
  const known = (image: Item | undefined): Item | undefined => image && withKnownIndexKeys(table, image);
  return { ...item, oldImage: known(item.oldImage), newImage: known(item.newImage) };
}

export function entryIn(index: IndexName, image: Item | undefined): IndexEntry | undefined {
  const names = INDEX_KEYS[index];
  const partition = stringOf(image?.[names.partition]);
  const sort = stringOf(image?.[names.sort]);
  return partition === undefined || sort === undefined ? undefined : { partition, sort };
}

export function entriesIn(image: Item = {}): IndexEntry[] {
  const indexes = Object.keys(image).map((name) => INDEX_OF_PARTITION_KEY.get(name));
  return indexes.flatMap((index) => (index && entryIn(index, image)) ?? []);
}

const INDEX_OF_PARTITION_KEY: ReadonlyMap<string, IndexName> = new Map(
  INDEX_NAMES.map((index) => [INDEX_KEYS[index].partition, index]),
);

export function toldRevision({ oldImage, newImage }: ChangedItem): number {
  return newImage === undefined ? Number(revisionOf(oldImage) ?? 0) + 1 : Number(revisionOf(newImage) ?? 0);
}
