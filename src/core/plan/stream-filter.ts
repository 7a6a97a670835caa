import { BEGINNINGS } from '../items/derived-key.ts';
import type { TableNames } from '../model/compiled.ts';
import { fanOutOfKey } from '../model/projection/places.ts';

const TYPE_INITIALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Must agree with `streamFilterPattern`, by which Lambda filters the same keys. */
export function isBaseSortKey(sortKey: string): boolean {
  const first = sortKey.charCodeAt(0);
  return first >= 65 && first <= 90;
}

/** No other derived items have records that drive the projector. */
export function isContinuationKey(sortKey: string): boolean {
  return fanOutOfKey(sortKey) !== undefined;
}

export interface StreamFilterPattern {
  [field: string]: { Keys: { [name: string]: { S: { prefix: string }[] } } };
}

/**
 * Records of other items don't invoke the function. There is a prefix for each letter, because Lambda doesn't promise
 * "anything but this prefix".
 */
export function streamFilterPattern({ sortKey }: Pick<TableNames, 'sortKey'>): StreamFilterPattern {
  const prefixes = [...TYPE_INITIALS, BEGINNINGS.continuation].map((prefix) => ({ prefix }));
  return { dynamodb: { Keys: { [sortKey]: { S: prefixes } } } };
}
