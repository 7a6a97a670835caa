import type { RawRecord } from '../../stream/raw-record.ts';

/**
 * The revisions that changes tell: a number, and the text of its digits. The number of an item begins again where the item is made anew, or
 * the table is restored, and the numbers of a stream may fall from shard to shard. So the time of the record comes first, and the number
 * decides within one time, which is a second.
 */

/** Digits of a time in milliseconds since 1970, until the year 33658, and of the longest sequence number of DynamoDB. */
const [TIME_DIGITS, NUMBER_DIGITS] = [15, 40];
const LATEST_MS = 10 ** TIME_DIGITS - 1;

/**
 * The revision of a change; a row that the stream tells nothing of has 0.
 *
 * @param number how often a derived item has been written, or of a base item, which does not count that, the sequence number of the record.
 */
export function changeRevision(record: RawRecord, number: number | bigint): bigint {
  return BigInt(timeOf(record)) * 10n ** BigInt(NUMBER_DIGITS) + BigInt(number);
}

/** A revision as texts of one length compare. */
export function revisionText(revision: bigint): string {
  const digits = String(revision).padStart(TIME_DIGITS + NUMBER_DIGITS, '0');
  return `${digits.slice(0, -NUMBER_DIGITS)}.${digits.slice(-NUMBER_DIGITS)}`;
}

/** Whole milliseconds since 1970; 0 for what is no time, as only a record made by hand can hold. */
function timeOf({ dynamodb }: RawRecord): number {
  const created: unknown = dynamodb?.ApproximateCreationDateTime;
  const milliseconds = Math.floor(created instanceof Date ? created.getTime() : Number(created) * 1000);
  return milliseconds > 0 && milliseconds <= LATEST_MS ? milliseconds : 0;
}
