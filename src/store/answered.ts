import { StoreError } from '../foundation/errors.ts';

/** A damaged answer would pass for an empty one. */
export function requireAnswer<T>(part: T | undefined | null, call: string, field: string): T {
  if (part !== undefined && part !== null) return part;
  throw new StoreError(
    'retryable',
    'incomplete-answer',
    `The answer to ${call} has no ${field}.`,
    'A proxy on the way may have changed it; try again.',
  );
}
