import { EdgeloomError, StoreError, type StoreErrorKind } from '../../foundation/errors.ts';

/** Items that DynamoDB writes in one call. */
export const BATCH_ITEMS = 25;

/** How far a write of many items came. */
export interface WriteProgress {
  /** Items that were certainly written, or deleted. */
  items: number;
  /** Of `putMany`: how many entries from the first on are certainly written, one after the other. Go on with `entries.slice(done)`. */
  done?: number;
  /** Of `putMany`: the entry that cannot be written, counted from 1; absent where a call of DynamoDB failed. */
  position?: number;
}

/**
 * A write of many items that ended before its last one. `code` is that of the error that ended it, which is the `cause`; the other fields
 * say how far it came.
 */
export class UnfinishedWriteError extends EdgeloomError implements WriteProgress {
  readonly items: number;
  readonly done?: number;
  readonly position?: number;
  /** Of a failed call of DynamoDB: whether the same call may succeed later. */
  readonly kind?: StoreErrorKind;

  constructor(cause: EdgeloomError, message: string, hint: string, { items, done, position }: WriteProgress) {
    super(cause.code, message, hint, { cause });
    this.name = 'UnfinishedWriteError';
    this.items = items;
    if (done !== undefined) this.done = done;
    if (position !== undefined) this.position = position;
    if (cause instanceof StoreError) this.kind = cause.kind;
  }
}

/** An error with how far the write came. An error of the caller's own, such as a signal's reason, stays what it is. */
export function unfinished(error: unknown, given: WriteProgress & { what: string; hint: string }): unknown {
  if (!(error instanceof EdgeloomError)) return error;
  const { what, items, position } = given;
  const written = `${items} ${items === 1 ? 'item was' : 'items were'} written before ${what} ended.`;
  const place = position === undefined ? '' : `Entry ${position}: `;
  return new UnfinishedWriteError(error, `${place}${error.message} ${written}`, `${error.hint} ${given.hint}`, given);
}
