import type { RawRecord } from '../../stream/raw-record.ts';

/**
 * The revisions that changes tell. The number of an item begins again where the item is made anew, where the table is restored, and the
 * numbers of a stream may fall from shard to shard. So the time of the record comes first, and the number decides within one time.
 */

/** Digits of a time in milliseconds since 1970, until the year 33658, and of the longest sequence number of DynamoDB. */
const [TIME_DIGITS, NUMBER_DIGITS] = [15, 40];
const LATEST_MS = 10 ** TIME_DIGITS - 1;

/** The revision of an item as texts of one length compare: the time of the record, and the number of the item at that time. */
export function revisionText(record: RawRecord, number: number | bigint): string {
  return `${String(timeOf(record)).padStart(TIME_DIGITS, '0')}.${String(number).padStart(NUMBER_DIGITS, '0')}`;
}

/** The same as a number, of which a row that the stream tells nothing of has 0. */
export function revisionNumber(record: RawRecord, number: bigint): bigint {
  return BigInt(timeOf(record)) * BEYOND_NUMBERS + number;
}

/** Greater than every sequence number, those of emulators too. */
const BEYOND_NUMBERS = 10n ** 99n;

/** Whole milliseconds since 1970; 0 for what is no time, as only a record made by hand can hold. */
function timeOf({ dynamodb }: RawRecord): number {
  const created: unknown = dynamodb?.ApproximateCreationDateTime;
  const milliseconds = Math.floor(created instanceof Date ? created.getTime() : Number(created) * 1000);
  return milliseconds > 0 && milliseconds <= LATEST_MS ? milliseconds : 0;
}
