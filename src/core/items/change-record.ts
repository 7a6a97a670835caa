import type { Item } from './attribute-value.ts';

/** One change of one base item, as it comes out of the stream. */
export interface ChangeRecord {
  /** Partition key. */
  source: string;
  /** Sort key. */
  target: string;
  /** The item before; absent for an insert, and in a stream without old images. */
  oldImage?: Item;
  /** The item after; absent for a remove, and in a stream without new images. */
  newImage?: Item;
  /** The label of its stream: a stream that is made anew has a later label. */
  stream: string;
  /** The stream's own number, as Lambda wants it back in a partial failure. */
  sequenceNumber: string;
  /** True if it lacks an image that its event comes with, as in a stream of keys alone. Then every item that its key names is touched. */
  isPartial?: true;
  /** When the change was made, in whole seconds since 1970, as the stream says. */
  createdAtSeconds?: number;
}

const SEQUENCE_NUMBER = /^\d{1,99}$/;

/** Tells whether a value is the number of a stream record: decimal text of 1 to 99 digits. */
export function isSequenceNumber(value: unknown): value is string {
  return typeof value === 'string' && SEQUENCE_NUMBER.test(value);
}

/** Tells whether a record stands before another: in an earlier stream of the table, or in the same one with a lower number. */
export function isOlder(left: RecordPlace, right: RecordPlace): boolean {
  if (left.stream !== right.stream) return left.stream < right.stream;
  const [one, other] = [significant(left.sequenceNumber), significant(right.sequenceNumber)];
  return one.length === other.length ? one < other : one.length < other.length;
}

/** The place of a record in the streams of its table. */
export type RecordPlace = Pick<ChangeRecord, 'stream' | 'sequenceNumber'>;

function significant(number: string): string {
  return number.startsWith('0') ? number.replace(/^0+(?=\d)/, '') : number;
}
