import type { ErrorCode } from '../foundation/error-code.ts';
import { EdgeloomError, type InvalidAttributesError, type ModelError } from '../foundation/errors.ts';
import type { InvalidBatchError } from './write/batch.ts';
import type { ConditionFailedError } from './write/item/conditions.ts';
import type { TransactionFailedError } from './write/transaction.ts';

/** A condition that did not hold. `failures` is there for a transaction. */
export type ConditionFailure = ConditionFailedError & Partial<Pick<TransactionFailedError, 'failures'>>;

/** Attributes that cannot be written. `issues` is there where a validator refuses them. */
export interface AttributeFailure extends EdgeloomError, Partial<Pick<InvalidAttributesError, 'issues'>> {
  readonly code: 'invalid-attribute';
}

type DetailedError = ModelError | AttributeFailure | InvalidBatchError | ConditionFailure;

/** An error that has no other fields than all have. */
export interface OtherError extends EdgeloomError {
  readonly code: Exclude<ErrorCode, DetailedError['code']>;
}

/** Every error of Edgeloom by its `code`, which tells the other fields: `current`, `failures`, `mistakes`, `issues`, `operations`. */
export type KnownError = DetailedError | OtherError;

/**
 * Whether an error is one of Edgeloom's, so that its `code` narrows it.
 *
 * @example
 * if (isEdgeloomError(error) && error.code === 'condition-failed') return error.current;
 */
export function isEdgeloomError(error: unknown): error is KnownError {
  return error instanceof EdgeloomError;
}
