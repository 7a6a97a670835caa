import type { Item } from './attribute-value.ts';

/** One change of a base item, from the stream. */
export interface ChangeRecord {
  /** Partition key. */
  source: string;
  /** Sort key. */
  target: string;
  /** The item before the change; absent for an insert, and in a stream without old images. */
  oldImage?: Item;
  /** The item after the change; absent for a remove, and in a stream without new images. */
  newImage?: Item;
  /** The label of its stream: a new stream has a later label. */
  stream: string;
  /** The stream's own number, which Lambda expects in a partial failure. */
  sequenceNumber: string;
  /**
   * True if an image is missing that its event should have, as in a keys-only stream. Everything that its key names is
   * then touched.
   */
  isPartial?: true;
  /** When the change was made, in whole seconds since 1970, from the stream. */
  createdAtSeconds?: number;
}

const SEQUENCE_NUMBER = /^\d{1,99}$/;

export function isSequenceNumber(value: unknown): value is string {
  return typeof value === 'string' && SEQUENCE_NUMBER.test(value);
}

/** Whether a record comes from an earlier stream of the table, or has a lower number in the same stream. */
export function isOlder(left: RecordPlace, right: RecordPlace): boolean {
  if (left.stream !== right.stream) return left.stream < right.stream;
  const [one, other] = [significant(left.sequenceNumber), significant(right.sequenceNumber)];
  return one.length === other.length ? one < other : one.length < other.length;
}

export type RecordPlace = Pick<ChangeRecord, 'stream' | 'sequenceNumber'>;

function significant(number: string): string {
  return number.startsWith('0') ? number.replace(/^0+(?=\d)/, '') : number;
}
