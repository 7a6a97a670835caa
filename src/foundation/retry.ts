import { type Abortable, type RuntimeOptions, runtimeOf } from './runtime.ts';

const BASE_MS = 25;
const CAP_MS = 5_000;

/** Exponential with full jitter ("Exponential Backoff and Jitter", AWS Architecture Blog, 2015), from attempt 1. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  return random() * Math.min(CAP_MS, BASE_MS * 2 ** attempt);
}

/** Without `remainingMs` retries never end. */
export interface RetryOptions extends Abortable {
  /** @internal */
  wait?: RuntimeOptions['wait'];
  /** @internal */
  random?: RuntimeOptions['random'];
  /** Milliseconds left; called many times. Default: unlimited. */
  remainingMs?: RuntimeOptions['remainingMs'];
  /** Asked after each failure. */
  isRetryable: (error: unknown, attempt: number) => boolean;
  /** Asked after each wait. Default: never. */
  isEnding?: () => boolean;
}

/** Throws the last failure if that isn't retryable, or a wait would exceed the remaining time. */
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
