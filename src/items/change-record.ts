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
  /** Where it stands in the stream: see `watermark`. */
  position: string;
  /** The stream's own number, as Lambda wants it back in a partial failure. */
  sequenceNumber: string;
  /** When the change was made, in whole seconds since 1970, as the stream says. */
  createdAtSeconds?: number;
}
