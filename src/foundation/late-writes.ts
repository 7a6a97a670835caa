/**
 * How late a write may arrive. A reconciliation reads, decides and writes; what it read may be outdated by then.
 * Tombstones live longer than such a write can take, and the walk that deletes a retired generation's items begins
 * later.
 */

/**
 * The most milliseconds between the read that a write of a derived item is based on (of the item, or of the registry's
 * head) and sending the write: AWS Lambda's longest run. A process that was suspended in between, such as on a sleeping
 * laptop, has to read again.
 */
export const SEND_WITHIN_MS = 15 * 60_000;

/** A sent request arrives within this many milliseconds or never: DynamoDB refuses older signatures. */
export const LANDS_WITHIN_MS = 5 * 60_000;

export const LATEST_WRITE_MS = SEND_WITHIN_MS + LANDS_WITHIN_MS;
