import { type Item, numberOf, stringOf } from '../../items/attribute-value.ts';
import type { ChangeRecord } from '../../items/change-record.ts';
import { FENCE, WATERMARK } from '../../items/derived-item.ts';

/** How far DynamoDB's clocks and that of a repair may differ, in milliseconds. */
const FENCE_MARGIN_MS = 5 * 60_000;

/** Whether a record at `position` may already be part of the derived item, or be older than what is. */
export function isStale(position: string, current: Item | undefined): boolean {
  const value = current?.[WATERMARK];
  if (value === undefined) return false;
  const watermark = stringOf(value);
  // A watermark of another type says nothing of what was applied, so the base item has to decide.
  return watermark === undefined || position <= watermark;
}

/**
 * The fences that records are beyond: those before this moment, in milliseconds since 1970. A repair sets the fence of an
 * item when it has read its base items. A record that was made before that, or that may have been by the clocks, says nothing
 * new, and a later one may have been applied to an item that was lost, so that no watermark tells.
 */
export function beyondFences(records: readonly ChangeRecord[]): number {
  let oldest = records[0]?.createdAtSeconds ?? 0;
  for (const { createdAtSeconds = 0 } of records) if (createdAtSeconds < oldest) oldest = createdAtSeconds;
  // rule: fence-has-a-margin
  return oldest * 1000 - FENCE_MARGIN_MS;
}

/** Whether the derived item has a fence that the records are not all beyond: then its base items decide. */
export function isFenced(records: readonly ChangeRecord[], current: Item | undefined): boolean {
  const value = current?.[FENCE];
  // rule: fence-of-an-item-that-was-seen-counts
  if (value === undefined) return false;
  const fence = numberOf(value);
  return fence === undefined || Number(fence) >= beyondFences(records);
}
