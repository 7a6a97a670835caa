import { type Item, numberOf, stringOf } from '../../items/attribute-value.ts';
import type { ChangeRecord } from '../../items/change-record.ts';
import { FENCE, WATERMARK } from '../../items/derived-item.ts';

/** The greatest difference between DynamoDB's clocks and that of a repair, in milliseconds. */
const FENCE_MARGIN_MS = 5 * 60_000;

/** Tells whether a record at `position` may be part of the derived item already, or be older than it. */
export function isStale(position: string, current: Item | undefined): boolean {
  const value = current?.[WATERMARK];
  if (value === undefined) return false;
  const watermark = stringOf(value);
  // A watermark that is no text says nothing about applied records, so the base item has to decide.
  return watermark === undefined || position <= watermark;
}

/**
 * Returns the time, in milliseconds since 1970, before which a fence must be for these records to pass it. A repair sets an item's
 * fence after it has read the base items. A record made before the fence, or possibly before it by the clocks, contains nothing
 * new. Another record, later than it, may have been applied to an item that was lost together with its watermark.
 */
export function fenceLimitMs(records: readonly ChangeRecord[]): number {
  let oldest = records[0]?.createdAtSeconds ?? 0;
  for (const { createdAtSeconds = 0 } of records) if (createdAtSeconds < oldest) oldest = createdAtSeconds;
  // rule: fence-has-a-margin
  return oldest * 1000 - FENCE_MARGIN_MS;
}

/** Tells whether some of the records do not pass the derived item's fence: then its base items decide. */
export function isFenced(records: readonly ChangeRecord[], current: Item | undefined): boolean {
  const value = current?.[FENCE];
  // rule: fence-of-an-item-that-was-seen-counts
  if (value === undefined) return false;
  const fence = numberOf(value);
  return fence === undefined || Number(fence) >= fenceLimitMs(records);
}
