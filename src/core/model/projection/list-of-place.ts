import { encodedValueOf } from '../../items/encoding.ts';
import { type OrderPlaces, unescapeFromPartition } from './index-places.ts';
import type { SearchPlaces } from './places.ts';

/** Returns the list that an index item is in, by its index partition: the places of a projection, read backwards. */

/** A place in an index: the partition key and the sort key of an item. */
export interface IndexEntry {
  partition: string;
  sort: string;
}

/**
 * The value of the partition attribute of a search, by a place in its index; undefined: the search has no such attribute. Returns null for
 * a place that the search gives no item of this source.
 */
export function partitionOfSearch(
  places: SearchPlaces,
  { partition, sort }: IndexEntry,
  source: string,
): string | undefined | null {
  const whole: string = places.partition(undefined, encodedValueOf(sort, source), source);
  if (partition === whole) return undefined;
  // The name of a search has no `#` in a partition key: see `escapeForPartition`.
  const end = whole.indexOf('#');
  const base = end < 0 ? whole : whole.slice(0, end);
  const suffix = whole.slice(base.length);
  if (!partition.startsWith(`${base}#`) || !partition.endsWith(suffix)) return null;
  const within = partition.slice(base.length + 1, partition.length - suffix.length);
  return partition === `${base}#${within}${suffix}` ? within : null;
}

/** A list of edges: the sort key that all of them have, and the value of the order's partition attribute. */
export interface ListOfEdges {
  edgeKey: string;
  partition?: string;
}

/**
 * The list of edges of a type that a place in an order's index is in. Returns undefined for a place that the order gives no edge of this
 * source.
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
  // The partition of an edge key without a target shows the text before the target, and the shard.
  const around: string = places.partition(`${edgeType}-`, encodedValueOf(sort, source), source);
  const end = around.indexOf('#');
  const base = end < 0 ? around : around.slice(0, end);
  const suffix = around.slice(base.length);
  if (!partition.startsWith(base) || !partition.endsWith(suffix)) return undefined;
  const rest = partition.slice(base.length, Math.max(base.length, partition.length - suffix.length));
  if (base + rest + suffix !== partition) return undefined;
  // The value has no `#` of its own; the target may have some.
  const mark = isPartitioned ? rest.lastIndexOf('#') : rest.length;
  if (mark < 1) return undefined;
  const value = isPartitioned ? { partition: unescapeFromPartition(rest.slice(mark + 1)) } : {};
  return { edgeKey: `${edgeType}-${rest.slice(0, mark)}`, ...value };
}
