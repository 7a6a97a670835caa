import { encodedValueOf } from '../../items/encoding.ts';
import { type OrderPlaces, unescapeFromPartition } from './index-places.ts';
import type { SearchPlaces } from './places.ts';

/** A projection's places, read backwards. */

export interface IndexEntry {
  partition: string;
  sort: string;
}

/** Null if the place can't be this source's. */
export function partitionOfSearch(
  places: SearchPlaces,
  { partition, sort }: IndexEntry,
  source: string,
): string | undefined | null {
  const whole: string = places.partition(undefined, encodedValueOf(sort, source), source);
  if (partition === whole) return undefined;
  // Search names have no `#` in a partition key.
  const end = whole.indexOf('#');
  const base = end < 0 ? whole : whole.slice(0, end);
  const suffix = whole.slice(base.length);
  if (!partition.startsWith(`${base}#`) || !partition.endsWith(suffix)) return null;
  const within = partition.slice(base.length + 1, partition.length - suffix.length);
  return partition === `${base}#${within}${suffix}` ? within : null;
}

export interface ListOfEdges {
  edgeKey: string;
  partition?: string;
}

/** Undefined if the place can't be this source's. */
export function listOfEdges(
  places: OrderPlaces,
  edgeType: string,
  isPartitioned: boolean,
  { partition, sort }: IndexEntry,
  source: string,
): ListOfEdges | undefined {
  // Without a target it shows what surrounds the target, and the shard.
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
