/**
 * How late a write may land. A reconciliation reads, decides and writes; what it read may have been overtaken by then. Tombstones live
 * longer than such a write can take, and the items of a retired generation are deleted by a walk that begins later than one can land.
 */

/**
 * A writer of derived items sends no write later than this after the read that the write rests on: that of the derived item, or of the
 * registry's head. In milliseconds: the longest time that AWS Lambda lets a function run. A process that was suspended in between, such
 * as a laptop that slept, has to read again.
 */
export const SEND_WITHIN_MS = 15 * 60_000;

/** A request that was sent lands within this time, in milliseconds, or never: DynamoDB refuses a signature that is older. */
export const LANDS_WITHIN_MS = 5 * 60_000;

/** The longest time from a read to the landing of a write that rests on it, in milliseconds. */
export const LATEST_WRITE_MS = SEND_WITHIN_MS + LANDS_WITHIN_MS;
