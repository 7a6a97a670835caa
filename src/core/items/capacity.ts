/** Capacity units that DynamoDB bills for items of a size. */

/** Item bytes per write unit. */
export const WRITE_UNIT_BYTES = 1024;
/** Bytes per consistent read unit. */
export const READ_UNIT_BYTES = 4096;

/** One for each started KB; at least one, even without an item. */
export function writeUnits(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / WRITE_UNIT_BYTES));
}

/** Bytes per read unit of an eventually consistent read, such as a scan. */
export const EVENTUAL_READ_UNIT_BYTES = 2 * READ_UNIT_BYTES;

/** One for each started 4 KB, at least one; half of that if eventually consistent. */
export function readUnits(bytes: number, isConsistent: boolean): number {
  return Math.max(1, Math.ceil(bytes / READ_UNIT_BYTES)) * (isConsistent ? 1 : 0.5);
}
