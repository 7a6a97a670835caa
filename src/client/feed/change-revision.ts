import type { RawRecord } from '../../stream/raw-record.ts';

/** 15 digits hold a time in milliseconds until the year 33658; 40 hold DynamoDB's longest sequence number. */
const [TIME_DIGITS, NUMBER_DIGITS] = [15, 40];
const LATEST_MS = 10 ** TIME_DIGITS - 1;

/**
 * Puts the record's time first, because `number` may decrease: an item's revision restarts when the item is created
 * again, and the next shard's sequence numbers may be lower.
 */
export function changeRevision(record: RawRecord, number: number | bigint): bigint {
  return BigInt(timeOf(record)) * 10n ** BigInt(NUMBER_DIGITS) + BigInt(number);
}

export function revisionText(revision: bigint): string {
  const digits = String(revision).padStart(TIME_DIGITS + NUMBER_DIGITS, '0');
  return `${digits.slice(0, -NUMBER_DIGITS)}.${digits.slice(-NUMBER_DIGITS)}`;
}

function timeOf({ dynamodb }: RawRecord): number {
  const created: unknown = dynamodb?.ApproximateCreationDateTime;
  const milliseconds = Math.floor(created instanceof Date ? created.getTime() : Number(created) * 1000);
  return milliseconds > 0 && milliseconds <= LATEST_MS ? milliseconds : 0;
}
