import type { Item } from './attribute-value.ts';

/** One change of one base item, as it comes out of the stream. */
export interface ChangeRecord {
  /** Partition key. */
  source: string;
  /** Sort key. */
  target: string;
  /** The item before; absent for an insert. */
  oldImage?: Item;
  /** The item after; absent for a remove. */
  newImage?: Item;
  /** Its position in the stream: see `watermark`. */
  position: string;
  /** The stream's own number, as Lambda wants it back in a partial failure. */
  sequenceNumber: string;
  /** The label of its stream, where that is known besides the position: numbers of one stream compare faster. */
  stream?: string;
  /** True if it lacks an image that its event comes with, as in a stream of keys alone. Then every item that its key names is touched. */
  isPartial?: true;
  /** When the change was made, in whole seconds since 1970, as the stream says. */
  createdAtSeconds?: number;
}

/** Tells whether a record stands before another in their streams, as their positions say. */
export function isOlder(left: ChangeRecord, right: ChangeRecord): boolean {
  const { sequenceNumber } = left;
  if (
    left.stream !== undefined &&
    left.stream === right.stream &&
    sequenceNumber.length === right.sequenceNumber.length
  ) {
    return sequenceNumber < right.sequenceNumber;
  }
  return left.position < right.position;
}
