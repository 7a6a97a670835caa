import type { Item } from './attribute-value.ts';

/** A stream record of a change to a base item, or to the continuation of a fan-out. */
export interface ChangeRecord {
  source: string;
  target: string;
  /** Absent for an insert, or if the stream has no old images. */
  oldImage?: Item;
  /** Absent for a deletion, or if the stream has no new images. */
  newImage?: Item;
  /** The stream's label. Labels of newer streams sort later. */
  stream: string;
  sequenceNumber: string;
  /**
   * True if an image is missing, as in a keys-only stream, or if the images contradict the event. Such a record touches
   * every item whose key follows from the record's own key.
   */
  isPartial?: true;
  /** Seconds since 1970. */
  createdAtSeconds?: number;
}

const SEQUENCE_NUMBER = /^\d{1,99}$/;

export function isSequenceNumber(value: unknown): value is string {
  return typeof value === 'string' && SEQUENCE_NUMBER.test(value);
}

export function isOlder(left: RecordPlace, right: RecordPlace): boolean {
  if (left.stream !== right.stream) return left.stream < right.stream;
  const [one, other] = [withoutLeadingZeros(left.sequenceNumber), withoutLeadingZeros(right.sequenceNumber)];
  return one.length === other.length ? one < other : one.length < other.length;
}

export type RecordPlace = Pick<ChangeRecord, 'stream' | 'sequenceNumber'>;

export function withoutLeadingZeros(number: string): string {
  return number.startsWith('0') ? number.replace(/^0+(?=\d)/, '') : number;
}
