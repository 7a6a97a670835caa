import type { UpdateOutcome } from '../core/store-port.ts';
import { isRetryableStoreError, StoreError } from '../foundation/errors.ts';

/** Milliseconds without a successful call after which work ends. */
const FAILING_MS = 10 * 60_000;
/** The same if the endpoint refuses every connection, which no busy table does. */
const REFUSED_MS = 60_000;
/** Milliseconds until `onFailing` is called, and then between its calls. */
const [TELL_MS, TELL_AGAIN_MS] = [5_000, 30_000];

export interface OutageOptions {
  /** A clock in milliseconds that never goes back. Default: the process's clock. */
  now?: (() => number) | undefined;
  /**
   * Called at most every 30 seconds while no call succeeds, with the last error, and the milliseconds since the first
   * one and until the end.
   */
  onFailing?: (error: StoreError, failingMs: number, leftMs: number) => void;
}

/**
 * Returns a store whose retryable errors become fatal once no call has succeeded for too long. Work that repeats failed
 * calls without a time limit then ends with the error.
 */
export function withOutageLimit<S extends object>(store: S, options: OutageOptions = {}): S {
  const outage = new Outage(options);
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        const made: unknown = member.apply(target, args);
        return made instanceof Promise ? outage.watch(made) : made;
      };
    },
  });
}

class Outage {
  private failingSinceMs: number | undefined;
  private refusedSinceMs: number | undefined;
  private toldMs = Number.NEGATIVE_INFINITY;
  private readonly now: () => number;

  constructor(private readonly options: OutageOptions) {
    this.now = options.now ?? (() => performance.now());
  }

  async watch<T>(call: Promise<T>): Promise<T> {
    let result: T;
    try {
      result = await call;
    } catch (error) {
      throw isRetryableStoreError(error) ? this.noteFailure(error) : error;
    }
    const failed = failedOutcomes(result);
    if (failed === undefined) {
      this.failingSinceMs = undefined;
      this.refusedSinceMs = undefined;
      return result;
    }
    return failed.map((outcome) => ({ ...outcome, error: this.noteFailure(outcome.error) })) as T;
  }

  private noteFailure(error: StoreError): StoreError {
    const nowMs = this.now();
    this.failingSinceMs ??= nowMs;
    this.refusedSinceMs = error.code === 'no-connection' ? (this.refusedSinceMs ?? nowMs) : undefined;
    const endMs = Math.min(this.failingSinceMs + FAILING_MS, (this.refusedSinceMs ?? nowMs) + REFUSED_MS);
    const failingMs = nowMs - this.failingSinceMs;
    if (nowMs >= endMs) return new StoreError('fatal', error.code, error.message, error.hint, { cause: error });
    if (failingMs >= TELL_MS && nowMs - this.toldMs >= TELL_AGAIN_MS) {
      this.toldMs = nowMs;
      this.options.onFailing?.(error, failingMs, endMs - nowMs);
    }
    return error;
  }
}

type FailedOutcome = UpdateOutcome & { error: StoreError };

/** Returns the outcomes of an `updateMany` call if all are retryable errors; otherwise undefined. */
function failedOutcomes(result: unknown): readonly FailedOutcome[] | undefined {
  if (!Array.isArray(result) || result.length === 0) return undefined;
  const failed = (result as UpdateOutcome[]).filter(
    (outcome): outcome is FailedOutcome => 'error' in outcome && isRetryableStoreError(outcome.error),
  );
  return failed.length === result.length ? failed : undefined;
}
