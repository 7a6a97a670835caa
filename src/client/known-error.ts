import type { ErrorCode } from '../foundation/error-code.ts';
import { EdgeloomError as ErrorClass, type InvalidAttributesError, type ModelError } from '../foundation/errors.ts';
import type { InvalidBatchError } from './write/batch.ts';
import type { ConditionFailedError } from './write/item/conditions.ts';
import type { TransactionFailedError } from './write/transaction.ts';

/** Every error of Edgeloom: see `KnownError` for the fields that go with a code. */
export type EdgeloomError = ErrorClass;

/**
 * The class of all errors. `error instanceof EdgeloomError` tells the compiler that it is one of those that there are, so that its `code`
 * narrows it.
 *
 * @example
 * if (error instanceof EdgeloomError && error.code === 'condition-failed') return error.current;
 */
export const EdgeloomError = ErrorClass as unknown as EdgeloomErrorClass;

/** The class of all errors, as a program sees it. The classes of single errors are not made of it: each of them narrows to its own. */
export interface EdgeloomErrorClass {
  new (...from: ConstructorParameters<typeof ErrorClass>): EdgeloomError;
  readonly prototype: EdgeloomError;
  [Symbol.hasInstance](error: unknown): error is KnownError;
}

/** A condition that did not hold. `failures` is there for a transaction. */
export type ConditionFailure = ConditionFailedError & Partial<Pick<TransactionFailedError, 'failures'>>;

/** Attributes that cannot be written. `issues` is there where a validator refuses them, `problems` for a batch, a transaction or a `putMany`. */
export interface AttributeFailure
  extends EdgeloomError,
    Partial<Pick<InvalidAttributesError, 'issues'>>,
    Partial<Pick<InvalidBatchError, 'problems'>> {
  readonly code: 'invalid-attribute';
}

/** Problems of several codes. */
export interface BatchFailure extends EdgeloomError, Pick<InvalidBatchError, 'problems' | 'issues'> {
  readonly code: 'invalid-batch';
}

/** The errors that have fields of their own. */
export type DetailedError = ModelError | AttributeFailure | BatchFailure | ConditionFailure;

/** An error of another code. `problems` is there for a batch, a transaction or a `putMany`. */
export interface OtherError extends EdgeloomError, Partial<Pick<InvalidBatchError, 'problems'>> {
  readonly code: Exclude<ErrorCode, DetailedError['code']>;
}

/** Every error of Edgeloom by its `code`, which tells the other fields: `current`, `failures`, `mistakes`, `issues`, `problems`. */
export type KnownError = DetailedError | OtherError;
