import { itemSizeBytes, sameItem } from '../../src/core/items/attribute-value.ts';
import { WRITE_UNIT_BYTES } from '../../src/core/items/capacity.ts';
import type { IndexName } from '../../src/core/model/compiled.ts';
import type { Item } from './images.ts';

/** The minimum cost for any consumer: one write of each changed item. */
export interface LowerBound {
  touched: number;
  wcu: number;
}

/**
 * A write costs a unit per started KB of the larger of the items before and after. An index entry costs the same, or
 * twice as much if its keys change. Source: "Read and write operations" and "Using Global Secondary Indexes" in
 * DynamoDB's developer guide.
 */
export function lowerBound(
  before: ReadonlyMap<string, Item>,
  after: ReadonlyMap<string, Item>,
  indexes: readonly IndexName[],
): LowerBound {
  const bound: LowerBound = { touched: 0, wcu: 0 };
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const old = before.get(key);
    const current = after.get(key);
    if (sameItem(old, current)) continue;
    bound.touched += 1;
    bound.wcu += writeUnits(old, current, indexes);
  }
  return bound;
}

export function writeUnits(old: Item | undefined, current: Item | undefined, indexes: readonly IndexName[]): number {
  return indexes.reduce((sum, index) => sum + indexUnits(index, old, current), Math.max(units(old), units(current)));
}

function indexUnits(index: IndexName, old: Item | undefined, current: Item | undefined): number {
  const [oldKey, currentKey] = [indexKey(index, old), indexKey(index, current)];
  if (oldKey === currentKey) return oldKey === undefined ? 0 : Math.max(units(old), units(current));
  return (oldKey === undefined ? 0 : units(old)) + (currentKey === undefined ? 0 : units(current));
}

function indexKey(index: IndexName, item: Item | undefined): string | undefined {
  const partition = item?.[`${index}pk`];
  const sort = item?.[`${index}sk`];
  return partition === undefined || sort === undefined ? undefined : JSON.stringify([partition, sort]);
}

function units(item: Item | undefined): number {
  return item === undefined ? 0 : Math.ceil(itemSizeBytes(item) / WRITE_UNIT_BYTES);
}
