import { BEGINNINGS } from '../items/derived-key.ts';
import type { TableNames } from '../model/compiled.ts';
import { fanOutOfKey } from '../model/projection/places.ts';

const TYPE_INITIALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/**
 * Selects the stream records that the projector reads: base items, whose sort keys begin with a type name, so with `A`
 * to `Z`. `streamFilterPattern` says the same to the event source mapping.
 */
export function isBaseSortKey(sortKey: string): boolean {
  const first = sortKey.charCodeAt(0);
  return first >= 65 && first <= 90;
}

/** Continuations are the only derived items whose records drive the projector. */
export function isContinuationKey(sortKey: string): boolean {
  return fanOutOfKey(sortKey) !== undefined;
}

export interface StreamFilterPattern {
  [field: string]: { Keys: { [name: string]: { S: { prefix: string }[] } } };
}

/**
 * The event source mapping's filter: records of base items and of continuations. Filtered records cause no invocation,
 * and the projector's own writes are most of a stream. It lists a prefix for each letter, since Lambda doesn't promise
 * "anything but this prefix"; a mapping may have five patterns, and one may list many prefixes.
 */
export function streamFilterPattern({ sortKey }: Pick<TableNames, 'sortKey'>): StreamFilterPattern {
  const prefixes = [...TYPE_INITIALS, BEGINNINGS.continuation].map((prefix) => ({ prefix }));
  return { dynamodb: { Keys: { [sortKey]: { S: prefixes } } } };
}
