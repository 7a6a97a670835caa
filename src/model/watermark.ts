/**
 * Watermarks: the position of a stream record as one text that compares.
 *
 * `<stream label>/<sequence number padded to 40 digits>`: sequence numbers are numeric text of 21 to 40 digits (one
 * engine counts from 1), so unpadded ones do not compare; a stream that was re-created has a later label, so its
 * records sort after every record of the old one.
 */
const SEQUENCE_DIGITS = 40;

/** The watermark of a record. `sequenceNumber` is decimal text; anything else throws a TypeError. */
export function watermark(streamLabel: string, sequenceNumber: string): string {
  if (!/^\d{1,40}$/.test(sequenceNumber)) {
    throw new TypeError(`not a stream sequence number: ${JSON.stringify(sequenceNumber)}`);
  }
  return `${streamLabel}/${sequenceNumber.padStart(SEQUENCE_DIGITS, '0')}`;
}

/** The later of two watermarks; undefined counts as before everything. */
export function laterOf(left: string | undefined, right: string): string {
  return left !== undefined && left > right ? left : right;
}
