/**
 * The longest time from a read to sending a write based on it: the longest run of a Lambda function. A process that was
 * suspended for longer reads again.
 */
export const SEND_WITHIN_MS = 15 * 60_000;

/** DynamoDB rejects requests with older signatures. */
export const LANDS_WITHIN_MS = 5 * 60_000;

/** Tombstones have to live longer, so that a write based on an older read still finds them. */
export const LATEST_WRITE_MS = SEND_WITHIN_MS + LANDS_WITHIN_MS;
