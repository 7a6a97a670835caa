import { StoreError } from '../foundation/errors.ts';

/**
 * For a part that every answer to a call has. Throws `incomplete-answer` (retryable) if it is missing: otherwise a
 * damaged answer would pass for an empty one.
 *
 * @param call such as `GetRecords`.
 * @param field the name of the part, such as `Records`.
 */
export function requireAnswer<T>(part: T | undefined | null, call: string, field: string): T {
  if (part !== undefined && part !== null) return part;
  throw new StoreError(
    'retryable',
    'incomplete-answer',
    `The answer to ${call} has no ${field}.`,
    'A proxy on the way may have changed it; try again.',
  );
}
