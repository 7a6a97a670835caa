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

/** How to try again; without `remainingMs` for ever. A wait ends with the signal. */
export interface RetryOptions extends Abortable {
  /** @internal */
  wait?: RuntimeOptions['wait'];
  /** @internal */
  random?: RuntimeOptions['random'];
  /** Milliseconds left; called many times. At 0 the run stops where it can go on later. Default: no end. */
  remainingMs?: RuntimeOptions['remainingMs'];
  /** Tells whether trying again may help; asked after each failure, with the number of tries so far. The place to log it. */
  isRetryable: (error: unknown, attempt: number) => boolean;
  /** Tells whether the caller gives up; asked after each wait. Default: never. */
  isEnding?: () => boolean;
}

/**
 * Tries an action until it succeeds, with backoff and jitter between the tries. Throws the action's last failure where that
 * is not retryable, where a wait would take longer than the time that is left, or where `isEnding` says so.
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
