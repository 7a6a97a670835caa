import { encodedValueOf } from '../../items/encoding.ts';
import { type OrderPlaces, unescapeFromPartition } from './index-places.ts';
import type { SearchPlaces } from './places.ts';

/** Finds the list that an index item is in, by its index partition: a projection's places, read backwards. */

export interface IndexEntry {
  partition: string;
  sort: string;
}

/** The partition attribute's value; undefined if the search has none; null if the place can't be this source's. */
export function partitionOfSearch(
  places: SearchPlaces,
  { partition, sort }: IndexEntry,
  source: string,
): string | undefined | null {
  const whole: string = places.partition(undefined, encodedValueOf(sort, source), source);
  if (partition === whole) return undefined;
  // In a partition key, search names have no `#`: see `escapeForPartition`.
  const end = whole.indexOf('#');
  const base = end < 0 ? whole : whole.slice(0, end);
  const suffix = whole.slice(base.length);
  if (!partition.startsWith(`${base}#`) || !partition.endsWith(suffix)) return null;
  const within = partition.slice(base.length + 1, partition.length - suffix.length);
  return partition === `${base}#${within}${suffix}` ? within : null;
}

/** The edges' common sort key, and the partition attribute's value. */
export interface ListOfEdges {
  edgeKey: string;
  partition?: string;
}

/**
 * Undefined if the place can't be this source's.
 *
 * @param isPartitioned whether the order has a partition attribute.
 */
export function listOfEdges(
  places: OrderPlaces,
  edgeType: string,
  isPartitioned: boolean,
  { partition, sort }: IndexEntry,
  source: string,
): ListOfEdges | undefined {
  // The partition for an edge key without target shows what surrounds the target, and the shard.
  const around: string = places.partition(`${edgeType}-`, encodedValueOf(sort, source), source);
  const end = around.indexOf('#');
  const base = end < 0 ? around : around.slice(0, end);
  const suffix = around.slice(base.length);
  if (!partition.startsWith(base) || !partition.endsWith(suffix)) return undefined;
  const rest = partition.slice(base.length, Math.max(base.length, partition.length - suffix.length));
  if (base + rest + suffix !== partition) return undefined;
  // The value contains no `#`, but the target may.
  const mark = isPartitioned ? rest.lastIndexOf('#') : rest.length;
  if (mark < 1) return undefined;
  const value = isPartitioned ? { partition: unescapeFromPartition(rest.slice(mark + 1)) } : {};
  return { edgeKey: `${edgeType}-${rest.slice(0, mark)}`, ...value };
}
