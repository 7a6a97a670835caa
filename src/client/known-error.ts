import type { ErrorCode } from '../foundation/error-code.ts';
import { EdgeloomError as ErrorClass, type InvalidAttributesError, type ModelError } from '../foundation/errors.ts';
import type { InvalidBatchError } from './write/batch.ts';
import type { ConditionFailedError } from './write/item/conditions.ts';
import type { TransactionFailedError } from './write/transaction.ts';

/** Any Edgeloom error. `KnownError` has the fields of each code. */
export type EdgeloomError = ErrorClass;

/**
 * The class of all errors. `instanceof` narrows by `code`.
 *
 * @example
 * if (error instanceof EdgeloomError && error.code === 'condition-failed') return error.current;
 */
export const EdgeloomError = ErrorClass as unknown as EdgeloomErrorClass;

/** The type of the class `EdgeloomError`. */
export interface EdgeloomErrorClass {
  new (...from: ConstructorParameters<typeof ErrorClass>): EdgeloomError;
  readonly prototype: EdgeloomError;
  [Symbol.hasInstance](error: unknown): error is KnownError;
}

/** The error of a failed condition. In a transaction, it has `failures`. */
export type ConditionFailure = ConditionFailedError & Partial<Pick<TransactionFailedError, 'failures'>>;

/** The error of attributes that can't be written. */
export interface AttributeFailure
  extends EdgeloomError,
    Partial<Pick<InvalidAttributesError, 'issues'>>,
    Partial<Pick<InvalidBatchError, 'problems'>> {
  readonly code: 'invalid-attribute';
}

/** The error of a batch with problems of different codes. */
export interface BatchFailure extends EdgeloomError, Pick<InvalidBatchError, 'problems' | 'issues'> {
  readonly code: 'invalid-batch';
}

/** Errors with additional fields. */
export type DetailedError = ModelError | AttributeFailure | BatchFailure | ConditionFailure;

/** Any other error. */
export interface OtherError extends EdgeloomError, Partial<Pick<InvalidBatchError, 'problems'>> {
  readonly code: Exclude<ErrorCode, DetailedError['code']>;
}

/** Every Edgeloom error. The `code` tells which other fields it has. */
export type KnownError = DetailedError | OtherError;
