import type { ErrorCode } from '../foundation/error-code.ts';
import { EdgeloomError as ErrorClass, type InvalidAttributesError, type ModelError } from '../foundation/errors.ts';
import type { InvalidBatchError } from './write/batch.ts';
import type { ConditionFailedError } from './write/item/conditions.ts';
import type { TransactionFailedError } from './write/transaction.ts';

/** Any Edgeloom error. `KnownError` adds the fields of each code. */
export type EdgeloomError = ErrorClass;

/**
 * The class of all Edgeloom errors. After `instanceof`, `code` narrows the type.
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

/** Thrown if a condition fails. In a transaction, it has `failures`. */
export type ConditionFailure = ConditionFailedError & Partial<Pick<TransactionFailedError, 'failures'>>;

/** Thrown for attributes that can't be written. */
export interface AttributeFailure
  extends EdgeloomError,
    Partial<Pick<InvalidAttributesError, 'issues'>>,
    Partial<Pick<InvalidBatchError, 'problems'>> {
  readonly code: 'invalid-attribute';
}

/** Thrown for a batch with problems of different codes. */
export interface BatchFailure extends EdgeloomError, Pick<InvalidBatchError, 'problems' | 'issues'> {
  readonly code: 'invalid-batch';
}

/** Errors whose code implies additional fields. */
export type DetailedError = ModelError | AttributeFailure | BatchFailure | ConditionFailure;

/** An error whose code implies no additional fields, except a batch's `problems`. */
export interface OtherError extends EdgeloomError, Partial<Pick<InvalidBatchError, 'problems'>> {
  readonly code: Exclude<ErrorCode, DetailedError['code']>;
}

/** Every Edgeloom error, as a union by `code`. */
export type KnownError = DetailedError | OtherError;
