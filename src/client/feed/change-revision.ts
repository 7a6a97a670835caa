import type { RawRecord } from '../../stream/raw-record.ts';

/**
 * Revisions of changes combine the record's time with a number. The number alone isn't enough: it restarts when an item
 * is made again or the table is restored, and sequence numbers may fall from one stream shard to the next. Records have
 * times in whole seconds; the number decides within a second.
 */

/** Digits of a time in milliseconds since 1970, until the year 33658, and of DynamoDB's longest sequence number. */
const [TIME_DIGITS, NUMBER_DIGITS] = [15, 40];
const LATEST_MS = 10 ** TIME_DIGITS - 1;

/**
 * The revision of a change; 0 for a row that the stream says nothing about.
 *
 * @param number how often a derived item has been written; for a base item, the record's sequence number.
 */
export function changeRevision(record: RawRecord, number: number | bigint): bigint {
  return BigInt(timeOf(record)) * 10n ** BigInt(NUMBER_DIGITS) + BigInt(number);
}

/** All revisions have the same length, so that they compare as texts. */
export function revisionText(revision: bigint): string {
  const digits = String(revision).padStart(TIME_DIGITS + NUMBER_DIGITS, '0');
  return `${digits.slice(0, -NUMBER_DIGITS)}.${digits.slice(-NUMBER_DIGITS)}`;
}

/** Whole milliseconds since 1970; 0 if the record has no valid time, which only a record made by hand can have. */
function timeOf({ dynamodb }: RawRecord): number {
  const created: unknown = dynamodb?.ApproximateCreationDateTime;
  const milliseconds = Math.floor(created instanceof Date ? created.getTime() : Number(created) * 1000);
  return milliseconds > 0 && milliseconds <= LATEST_MS ? milliseconds : 0;
}
