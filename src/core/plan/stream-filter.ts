import { BEGINNINGS } from '../items/derived-key.ts';
import type { TableNames } from '../model/compiled.ts';
import { fanOutOfKey } from '../model/projection/places.ts';

const TYPE_INITIALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Must agree with `streamFilterPattern`, by which Lambda filters the same keys. */
export function isBaseSortKey(sortKey: string): boolean {
  const first = sortKey.charCodeAt(0);
  return first >= 65 && first <= 90;
}

/** Continuations are the only derived items whose records drive the projector. */
export function isContinuationKey(sortKey: string): boolean {
  return fanOutOfKey(sortKey) !== undefined;
}

/**
 * Keeps records of other items from invoking the function. There is a prefix for each letter, because Lambda doesn't
 * document a way to exclude a prefix.
 */
export function streamFilterPattern({ sortKey }: Pick<TableNames, 'sortKey'>) {
  const prefixes = [...TYPE_INITIALS, BEGINNINGS.continuation].map((prefix) => ({ prefix }));
  return { dynamodb: { Keys: { [sortKey]: { S: prefixes } } } };
}
