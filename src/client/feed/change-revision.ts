import type { RawRecord } from '../../stream/raw-record.ts';

/**
 * The record's time in whole seconds, then a number, which alone isn't enough: it restarts when an item is made again,
 * and sequence numbers may fall from one stream shard to the next.
 */

/** A time in milliseconds until the year 33658, and DynamoDB's longest sequence number. */
const [TIME_DIGITS, NUMBER_DIGITS] = [15, 40];
const LATEST_MS = 10 ** TIME_DIGITS - 1;

/** 0 for a row that the stream says nothing about. */
export function changeRevision(record: RawRecord, number: number | bigint): bigint {
  return BigInt(timeOf(record)) * 10n ** BigInt(NUMBER_DIGITS) + BigInt(number);
}

/** All have the same length, so that they compare as texts. */
export function revisionText(revision: bigint): string {
  const digits = String(revision).padStart(TIME_DIGITS + NUMBER_DIGITS, '0');
  return `${digits.slice(0, -NUMBER_DIGITS)}.${digits.slice(-NUMBER_DIGITS)}`;
}

/** Only a record made by hand can have an invalid time. */
function timeOf({ dynamodb }: RawRecord): number {
  const created: unknown = dynamodb?.ApproximateCreationDateTime;
  const milliseconds = Math.floor(created instanceof Date ? created.getTime() : Number(created) * 1000);
  return milliseconds > 0 && milliseconds <= LATEST_MS ? milliseconds : 0;
}
