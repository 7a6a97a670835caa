import { type Abortable, type RuntimeOptions, runtimeOf } from './runtime.ts';

const BASE_MS = 25;
const CAP_MS = 5_000;

/**
 * The wait before retry number `attempt` (from 1), in milliseconds: exponential with full jitter, at most 5 s. Source:
 * "Exponential Backoff and Jitter", AWS Architecture Blog, 2015.
 */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  return random() * Math.min(CAP_MS, BASE_MS * 2 ** attempt);
}

/** Without `remainingMs` retries never end. The signal ends a wait. */
export interface RetryOptions extends Abortable {
  /** @internal */
  wait?: RuntimeOptions['wait'];
  /** @internal */
  random?: RuntimeOptions['random'];
  /** Milliseconds left; called many times. At 0 the run stops where it can continue later. Default: unlimited. */
  remainingMs?: RuntimeOptions['remainingMs'];
  /** Asked after each failure, with the number of tries so far; the place to log it. */
  isRetryable: (error: unknown, attempt: number) => boolean;
  /** Whether the caller gives up; asked after each wait. Default: never. */
  isEnding?: () => boolean;
}

/**
 * Tries until the action succeeds, with backoff and jitter. Throws its last failure if that isn't retryable, if a wait
 * would exceed the remaining time, or if `isEnding` says so.
 *
 * @example
 * await retrying(() => store.put(item), { isRetryable: isRetryableStoreError });
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
