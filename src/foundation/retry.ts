import { isRetryableStoreError } from './errors.ts';
import { type Abortable, type RuntimeOptions, runtimeOf } from './runtime.ts';

const BASE_MS = 25;
const CAP_MS = 5_000;

/**
 * Returns an exponential backoff with full jitter ("Exponential Backoff and Jitter", AWS Architecture Blog, 2015). The
 * first attempt is 1.
 */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  return random() * Math.min(CAP_MS, BASE_MS * 2 ** attempt);
}

export interface RetryOptions extends Abortable {
  /** @internal */
  wait?: RuntimeOptions['wait'];
  /** @internal */
  random?: RuntimeOptions['random'];
  /** Default: unlimited. */
  remainingMs?: RuntimeOptions['remainingMs'];
  /** Returns whether to try again. Called after each failure. */
  isRetryable: (error: unknown, attempt: number) => boolean;
  /** Called after each wait; true ends the retries. Default: never. */
  isEnding?: () => boolean;
}

/** Retries retryable failures of the store until this many attempts have been made. */
export function retryableUpTo(attempts: number): RetryOptions['isRetryable'] {
  return (error, attempt) => isRetryableStoreError(error) && attempt < attempts;
}

/**
 * Throws the last failure if it isn't retryable, if the next wait would exceed the remaining time, or if `isEnding`
 * returns true.
 */
export async function retrying<T>(
  action: (attempt: number) => Promise<T>,
  { isRetryable, isEnding = () => false, signal, ...options }: RetryOptions,
): Promise<T> {
  const { wait, random, remainingMs } = runtimeOf(options);
  for (let attempt = 1; ; attempt++) {
    try {
      return await action(attempt);
    } catch (error) {
      if (!isRetryable(error, attempt)) throw error;
      const milliseconds = backoffMs(attempt, random);
      if (milliseconds >= remainingMs()) throw error;
      await wait(milliseconds, signal);
      if (isEnding()) throw error;
    }
  }
}
