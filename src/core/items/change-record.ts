import type { Item } from './attribute-value.ts';

/** A change to a base item, or to the continuation of a fan-out, from the stream. */
export interface ChangeRecord {
  source: string;
  target: string;
  /** Absent for an insert, and in a stream without old images. */
  oldImage?: Item;
  /** Absent for a deletion, and in a stream without new images. */
  newImage?: Item;
  /** The label of the stream. A newer stream's label sorts later. */
  stream: string;
  sequenceNumber: string;
  /**
   * Set if an image is missing, as in a keys-only stream, or contradicts the event. Such a record touches every item
   * whose key follows from the record's own key.
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

function withoutLeadingZeros(number: string): string {
  return number.startsWith('0') ? number.replace(/^0+(?=\d)/, '') : number;
}
