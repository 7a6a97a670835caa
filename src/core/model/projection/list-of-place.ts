import { encodedValueOf } from '../../items/encoding.ts';
import { type OrderPlaces, unescapeFromPartition } from './index-places.ts';
import type { SearchPlaces } from './places.ts';

export interface IndexEntry {
  partition: string;
  sort: string;
}

/**
 * Returns the value of the partition attribute; undefined if the search has none, and null if this source can't have
 * the entry.
 */
export function partitionOfSearch(
  places: SearchPlaces,
  { partition, sort }: IndexEntry,
  source: string,
): string | undefined | null {
  const whole: string = places.partition(undefined, encodedValueOf(sort, source), source);
  if (partition === whole) return undefined;
  // The first `#` ends the search's name, in which `#` is escaped.
  const end = whole.indexOf('#');
  const base = end < 0 ? whole : whole.slice(0, end);
  const suffix = whole.slice(base.length);
  if (!partition.startsWith(`${base}#`) || !partition.endsWith(suffix)) return null;
  const within = partition.slice(base.length + 1, partition.length - suffix.length);
  return partition === `${base}#${within}${suffix}` ? within : null;
}

export function listOfEdges(
  places: OrderPlaces,
  edgeType: string,
  isPartitioned: boolean,
  { partition, sort }: IndexEntry,
  source: string,
): { edgeKey: string; partition?: string } | undefined {
  // The key for an empty target shows what is before and after the target.
  const around: string = places.partition(`${edgeType}-`, encodedValueOf(sort, source), source);
  const end = around.indexOf('#');
  const base = end < 0 ? around : around.slice(0, end);
  const suffix = around.slice(base.length);
  if (!partition.startsWith(base) || !partition.endsWith(suffix)) return undefined;
  const rest = partition.slice(base.length, Math.max(base.length, partition.length - suffix.length));
  if (base + rest + suffix !== partition) return undefined;
  // The partition value contains no `#`, but the target may.
  const mark = isPartitioned ? rest.lastIndexOf('#') : rest.length;
  if (mark < 1) return undefined;
  const value = isPartitioned ? { partition: unescapeFromPartition(rest.slice(mark + 1)) } : {};
  return { edgeKey: `${edgeType}-${rest.slice(0, mark)}`, ...value };
}
