import type { UpdateOutcome } from '../core/store-port.ts';
import { isRetryableStoreError, StoreError } from '../foundation/errors.ts';

/** Work ends once the table hasn't answered for this long after the first failure. */
const FAILING_MS = 10 * 60_000;

/** A shorter limit if the endpoint refuses every connection, because a table that is only busy answers. */
const UNREACHABLE_MS = 60_000;

/**
 * If no call is under way and the last failure is older than this, no work is repeating it, so the outage has ended.
 */
const IDLE_MS = 60_000;

/** Milliseconds until the first call of `onFailing`, and then between calls. */
const [TELL_MS, TELL_AGAIN_MS] = [5_000, 30_000];

export const HAS_OUTAGE_LIMIT: unique symbol = Symbol('has an outage limit');

export interface OutageOptions {
  /** A clock in milliseconds that never goes back. */
  now?: (() => number) | undefined;
  /**
   * Called at most every 30 seconds while no call succeeds, with the last error, and the milliseconds since the first
   * one and until the end.
   */
  onFailing?: (error: StoreError, failingMs: number, leftMs: number) => void;
}

/**
 * Returns a store whose retryable errors become fatal once the table has been failing for too long. This ends work that
 * repeats failed calls without a time limit. A result or a refusal of the item ends the outage. If the store already
 * has a limit, the options have no effect.
 */
export function withOutageLimit<S extends object>(store: S, options: OutageOptions = {}): S {
  if (HAS_OUTAGE_LIMIT in store) return store;
  const outage = new Outage(options);
  return new Proxy(store, {
    has: (target, name) => name === HAS_OUTAGE_LIMIT || Reflect.has(target, name),
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
  private unreachableSinceMs: number | undefined;
  private failedAtMs = 0;
  private underWay = 0;
  private toldMs = Number.NEGATIVE_INFINITY;
  private readonly now: () => number;

  constructor(private readonly options: OutageOptions) {
    this.now = options.now ?? (() => performance.now());
  }

  async watch<T>(call: Promise<T>): Promise<T> {
    if (this.underWay === 0 && this.now() - this.failedAtMs > IDLE_MS) this.endOutage();
    this.underWay += 1;
    try {
      return this.watchedResult(await call);
    } catch (error) {
      if (isFailure(error)) throw this.noteFailure(error);
      if (error instanceof StoreError && error.kind === 'terminal') this.endOutage();
      throw error;
    } finally {
      this.underWay -= 1;
    }
  }

  private watchedResult<T>(result: T): T {
    const outcomes: readonly UpdateOutcome[] = Array.isArray(result) ? result : [];
    const errors = outcomes.map((outcome) => ('error' in outcome ? outcome.error : undefined));
    const isUnsent = outcomes.length > 0 && errors.every((error) => error?.code === NOT_SENT);
    if (isUnsent) return result;
    if (outcomes.length === 0 || errors.some((error) => !isRetryableStoreError(error))) {
      this.endOutage();
      return result;
    }
    return outcomes.map((outcome, i) =>
      isFailure(errors[i]) ? { ...outcome, error: this.noteFailure(errors[i]) } : outcome,
    ) as T;
  }

  private endOutage(): void {
    this.failingSinceMs = undefined;
    this.unreachableSinceMs = undefined;
  }

  private noteFailure(error: StoreError): StoreError {
    const nowMs = this.now();
    this.failedAtMs = nowMs;
    this.failingSinceMs ??= nowMs;
    this.unreachableSinceMs = error.code === 'no-connection' ? (this.unreachableSinceMs ?? nowMs) : undefined;
    const endMs = Math.min(this.failingSinceMs + FAILING_MS, (this.unreachableSinceMs ?? nowMs) + UNREACHABLE_MS);
    const failingMs = nowMs - this.failingSinceMs;
    if (nowMs >= endMs) return new StoreError('fatal', error.code, error.message, error.hint, { cause: error });
    if (failingMs >= TELL_MS && nowMs - this.toldMs >= TELL_AGAIN_MS) {
      this.toldMs = nowMs;
      this.options.onFailing?.(error, failingMs, endMs - nowMs);
    }
    return error;
  }
}

/** Updates that a store didn't send for lack of time say nothing about the table. */
const NOT_SENT = 'no-time';

function isFailure(error: unknown): error is StoreError {
  return isRetryableStoreError(error) && error.code !== NOT_SENT;
}
