/** These times limit how late a write based on an old read can arrive. Tombstones live longer. */

/**
 * The longest time from a read to sending a write based on it: a Lambda function's longest run. A process that was
 * suspended for longer reads again.
 */
export const SEND_WITHIN_MS = 15 * 60_000;

/** DynamoDB rejects requests with older signatures. */
export const LANDS_WITHIN_MS = 5 * 60_000;

export const LATEST_WRITE_MS = SEND_WITHIN_MS + LANDS_WITHIN_MS;
