import { EdgeloomError } from '../errors.ts';
import type { AttributeValue } from './attribute-value.ts';

/**
 * Watermarks: the position of a stream record as one text that compares.
 *
 * `<stream label>/<sequence number padded to 40 digits>`: sequence numbers are numeric text of 21 to 40 digits (one
 * engine counts from 1), so unpadded ones do not compare; a stream that was re-created has a later label, so its
 * records sort after every record of the old one.
 */
const SEQUENCE_DIGITS = 40;
const FORM = /^(.+)\/\d{40}$/s;

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

/**
 * Whether a stored watermark can have come from a record of the table: empty (repaired before any record), or of this
 * form and of no later stream than the table's. One from the future would send every record down the slow path.
 *
 * @param streamLabel of the table's stream; undefined where it is unknown: then only the form is looked at.
 */
export function isPlausibleWatermark(value: AttributeValue | undefined, streamLabel?: string): boolean {
  if (value === undefined || !('S' in value)) return false;
  if (value.S === '') return true;
  const label = FORM.exec(value.S)?.[1];
  return label !== undefined && (streamLabel === undefined || label <= streamLabel);
}

/** The label of a stream: what stands after the last `/stream/` of its ARN. */
export function streamLabel(streamArn: string): string {
  const label = streamArn.split('/stream/').at(-1);
  if (label === undefined || label === streamArn || label === '') {
    throw new EdgeloomError('invalid-stream-arn', `${JSON.stringify(streamArn)} is not the ARN of a DynamoDB stream.`);
  }
  return label;
}
