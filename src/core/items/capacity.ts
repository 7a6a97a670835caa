/** The capacity units that DynamoDB bills for items of a size. */

/** Bytes of an item that one write unit takes. */
export const WRITE_UNIT_BYTES = 1024;
/** Bytes that one consistent read unit takes. */
export const READ_UNIT_BYTES = 4096;

/** Write units of an item: one for each started KB; at least one, also where there is no item. */
export function writeUnits(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / WRITE_UNIT_BYTES));
}

/** Bytes that an eventually consistent read, such as a scan, gets for one unit. */
export const EVENTUAL_READ_UNIT_BYTES = 2 * READ_UNIT_BYTES;

/** Read units of one read of `bytes`: one for each started 4 KB, at least one; half of that if the read is eventually consistent. */
export function readUnits(bytes: number, isConsistent: boolean): number {
  return Math.max(1, Math.ceil(bytes / READ_UNIT_BYTES)) * (isConsistent ? 1 : 0.5);
}
