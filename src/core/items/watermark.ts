import { EdgeloomError } from '../../foundation/errors.ts';
import type { AttributeValue } from './attribute-value.ts';
import { describe } from './describe.ts';

/**
 * Watermarks: the position of a stream record as one text that compares.
 *
 * `<stream label>/<sequence number padded to 40 digits>`: sequence numbers are numeric text of 21 to 40 digits (one
 * engine counts from 1), so unpadded ones do not compare; a stream that was re-created has a later label, so its
 * records sort after every record of the old one. An emulator makes longer numbers: they stand after a letter, which sorts
 * above every digit, and after their length, `<stream label>/n56-<number>`, so that longer ones are later.
 */
const SEQUENCE_DIGITS = 40;
const SEQUENCE_NUMBER = /^\d{1,99}$/;
const FORM = /^(.+)\/(?:\d{40}|n(\d\d)-([1-9]\d*))$/s;

/** Tells whether a value is the number of a stream record: decimal text of 1 to 99 digits. */
export function isSequenceNumber(value: unknown): value is string {
  return typeof value === 'string' && SEQUENCE_NUMBER.test(value);
}

/** The watermark of a record. `sequenceNumber` is decimal text; anything else throws a TypeError. */
export function watermarkOf(streamLabel: string, sequenceNumber: string): string {
  if (!isSequenceNumber(sequenceNumber)) {
    throw new TypeError(`not a stream sequence number: ${describe(sequenceNumber)}`);
  }
  return new Watermarks(streamLabel).watermarkOf(sequenceNumber);
}

/**
 * Makes the watermarks of one stream's records: the stream's label, a `/`, and the sequence number with padding, so that the order of
 * texts is that of numbers. The text before the number is kept for the next record, because numbers with equally many digits share it.
 */
export class Watermarks {
  private digits = 0;
  private start = '';

  constructor(readonly streamLabel: string) {}

  /** The watermark of a record with a number that `isSequenceNumber` accepts. */
  watermarkOf(sequenceNumber: string): string {
    const number = sequenceNumber.startsWith('0') ? sequenceNumber.replace(/^0+(?=\d)/, '') : sequenceNumber;
    if (number.length !== this.digits) {
      this.digits = number.length;
      // rule: watermark-begins-with-the-stream-label
      // rule: sequence-numbers-are-padded
      this.start = `${this.streamLabel}/${
        this.digits > SEQUENCE_DIGITS ? `n${this.digits}-` : '0'.repeat(SEQUENCE_DIGITS - this.digits)
      }`;
    }
    return this.start + number;
  }
}

/** The later of two watermarks; undefined counts as before everything. */
export function laterOf(left: string | undefined, right: string): string {
  return left !== undefined && left > right ? left : right;
}

/**
 * Tells whether a stored watermark can have come from a record of the table: empty (repaired before any record), or of this
 * form and of no later stream than the table's. One from the future would send every record down the slow path.
 *
 * @param latest the label of the table's stream, or the watermark of its newest record; undefined where it is unknown: then
 *   only the form is looked at.
 */
export function isPlausibleWatermark(value: AttributeValue | undefined, latest?: string): boolean {
  if (value === undefined || !('S' in value)) return false;
  if (value.S === '') return true;
  const [, label, digits, number] = FORM.exec(value.S) ?? [];
  // A number of at most 40 digits is padded. A longer one has its own length before it.
  if (number !== undefined && (number.length <= SEQUENCE_DIGITS || number.length !== Number(digits))) return false;
  if (label === undefined || latest === undefined) return label !== undefined;
  return FORM.test(latest) ? value.S <= latest : label <= latest;
}

/** Throws `wrong-table` where a stream is of another table: its records say nothing of this one. */
export function checkStreamTable(streamArn: string, table: string): void {
  streamLabel(streamArn);
  if (streamArn.split('/stream/')[0]!.endsWith(`:table/${table}`)) return;
  throw new EdgeloomError(
    'wrong-table',
    `The stream ${describe(streamArn)} is not one of the table ${table}.`,
    'Give the stream of the table of the model, or name the table.',
  );
}

/** The label of a stream: what stands after the last `/stream/` of its ARN. */
export function streamLabel(streamArn: string): string {
  const label = streamArn.split('/stream/').at(-1);
  if (label === undefined || label === streamArn || label === '') {
    throw new EdgeloomError(
      'invalid-stream-arn',
      `${describe(streamArn)} is not the ARN of a DynamoDB stream.`,
      'Give the LatestStreamArn of the table.',
    );
  }
  return label;
}
