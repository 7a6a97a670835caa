import { isRetryableStoreError } from './errors.ts';
import { type Abortable, type RuntimeOptions, runtimeOf } from './runtime.ts';

const BASE_MS = 25;
const CAP_MS = 5_000;

/**
 * Exponential backoff with full jitter ("Exponential Backoff and Jitter", AWS Architecture Blog, 2015). `attempt`
 * starts at 1.
 */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  return random() * Math.min(CAP_MS, BASE_MS * 2 ** attempt);
}

export interface RetryOptions extends Abortable {
  /** @internal */
  wait?: RuntimeOptions['wait'];
  /** @internal */
  random?: RuntimeOptions['random'];
  remainingMs?: RuntimeOptions['remainingMs'];
  isRetryable: (error: unknown, attempt: number) => boolean;
  /** Called after each wait; true ends the retries. */
  isEnding?: () => boolean;
}

export function retryableUpTo(attempts: number): RetryOptions['isRetryable'] {
  return (error, attempt) => isRetryableStoreError(error) && attempt < attempts;
}

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
