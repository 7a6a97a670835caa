import { StoreError } from '../errors.ts';

/**
 * A part of an answer that every answer to a call has. Throws `incomplete-answer` (retryable) where it is absent: such an answer
 * says nothing, and to read it as "there is nothing" would be believed for good.
 *
 * @param call such as `GetRecords`. @param field the name of the part, such as `Records`.
 */
export function answered<T>(part: T | undefined | null, call: string, field: string): T {
  if (part !== undefined && part !== null) return part;
  throw new StoreError(
    'retryable',
    'incomplete-answer',
    `The answer to ${call} has no ${field}.`,
    'A proxy on the way may have changed it; try again.',
  );
}
