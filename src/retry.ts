import { setTimeout as delay } from 'node:timers/promises';

const BASE_MS = 25;
const CAP_MS = 5_000;

/**
 * The wait before retry number `attempt` (from 1), in milliseconds: exponential with full jitter, at most 5 s. Source:
 * "Exponential Backoff and Jitter", AWS Architecture Blog, 2015.
 */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  return random() * Math.min(CAP_MS, BASE_MS * 2 ** attempt);
}

/** Waits; throws the signal's reason where that is aborted first. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  try {
    await delay(milliseconds, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

/** How to try again. */
export interface RetryOptions {
  /** Whether trying again may help; asked after each failure, with the number of tries so far. The place to log it. */
  isRetryable: (error: unknown, attempt: number) => boolean;
  /** Waits before the next try; false where there is to be none. Default: a timer. */
  wait?: (milliseconds: number) => Promise<boolean>;
  /** The jitter, 0 to 1. Default: `Math.random`. */
  random?: () => number;
}

/**
 * Tries an action until it succeeds, with backoff and jitter between the tries. Throws the action's last failure where that
 * is not retryable, or where `wait` allows no further try.
 *
 * @example
 * await retrying(() => store.put(item), { isRetryable: isRetryableStoreError });
 */
export async function retrying<T>(
  action: (attempt: number) => Promise<T>,
  { isRetryable, wait = slept, random }: RetryOptions,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await action(attempt);
    } catch (error) {
      if (!isRetryable(error, attempt) || !(await wait(backoffMs(attempt, random)))) throw error;
    }
  }
}

async function slept(milliseconds: number): Promise<boolean> {
  await sleep(milliseconds);
  return true;
}
