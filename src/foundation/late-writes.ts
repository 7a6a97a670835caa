/** Tombstones live longer than a write based on outdated reads can take. */

/** From the read to sending: AWS Lambda's longest run. A suspended process has to read again. */
export const SEND_WITHIN_MS = 15 * 60_000;

/** DynamoDB refuses older signatures. */
export const LANDS_WITHIN_MS = 5 * 60_000;

export const LATEST_WRITE_MS = SEND_WITHIN_MS + LANDS_WITHIN_MS;
