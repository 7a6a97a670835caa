import { EdgeloomError, StoreError, type StoreErrorKind } from '../../foundation/errors.ts';
import { ConditionFailedError } from './item/conditions.ts';

export const BATCH_ITEMS = 25;

/** How far a write of many items got. */
export interface WriteProgress {
  /** Number of items certainly written or deleted. */
  items: number;
  /** Number of leading entries of `putMany` that are certainly written. */
  done?: number;
  /** 1-based position of the entry of `putMany` that can't be written; absent if a DynamoDB call failed. */
  position?: number;
}

/** Thrown if a write of many items ended early. It has the `code` of its `cause`. */
export class UnfinishedWriteError extends EdgeloomError implements WriteProgress {
  readonly items: number;
  readonly done?: number;
  readonly position?: number;
  /** Tells whether a failed DynamoDB call may succeed later. */
  readonly kind?: StoreErrorKind;
  /** The stored item, or null, if a condition failed. */
  readonly current?: ConditionFailedError['current'];

  constructor(cause: EdgeloomError, message: string, hint: string, { items, done, position }: WriteProgress) {
    super(cause.code, message, hint, { cause });
    this.name = 'UnfinishedWriteError';
    this.items = items;
    if (done !== undefined) this.done = done;
    if (position !== undefined) this.position = position;
    if (cause instanceof StoreError) this.kind = cause.kind;
    if (cause instanceof ConditionFailedError) this.current = cause.current;
  }
}

export function unfinished(error: unknown, given: WriteProgress & { what: string; hint: string }): unknown {
  if (!(error instanceof EdgeloomError)) return error;
  const { what, items, position } = given;
  const written = `${items} ${items === 1 ? 'item was' : 'items were'} written before ${what} ended.`;
  const place = position === undefined ? '' : `Entry ${position}: `;
  return new UnfinishedWriteError(error, `${place}${error.message} ${written}`, `${error.hint} ${given.hint}`, given);
}
