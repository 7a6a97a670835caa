import { setTimeout as delay } from 'node:timers/promises';
import type { OptionNames } from './options.ts';

/**
 * The values that a run takes from outside, besides the store: time, waiting and chance. A run gets them once and passes them on
 * whole. Tests and simulators give their own, so that a run depends on nothing else.
 */
export interface Runtime {
  /** Clock in milliseconds since 1970. */
  now: () => number;
  /** Waits this many milliseconds. Throws the signal's reason if that is aborted first. */
  wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** A random number, 0 to below 1: the jitter of retries. */
  random: () => number;
  /** Milliseconds left; called many times. At 0 no new call is begun. */
  remainingMs: () => number;
}

/** An option of calls that take time. */
export interface Abortable {
  /**
   * Stops the call early; it then rejects with the signal's reason. Reads and waits stop at once. A write makes no further request, and
   * waits for the requests already sent, so that their outcome is known.
   */
  signal?: AbortSignal | undefined;
}

/** The options by which a caller replaces parts of the runtime. A function names those that it takes, with `Pick`. */
export interface RuntimeOptions extends Abortable {
  /** Clock in milliseconds since 1970. Default: the machine's. @internal */
  now?: (() => number) | undefined;
  /** Waits this many milliseconds. Default: a timer. @internal */
  wait?: ((milliseconds: number, signal?: AbortSignal) => Promise<void>) | undefined;
  /** A random number, 0 to below 1: the jitter of retries. Default: `Math.random`. @internal */
  random?: (() => number) | undefined;
  /** Milliseconds left; called many times. At 0 the run stops where it can go on later. Default: no end. */
  remainingMs?: (() => number) | undefined;
}

/** The names of these options, for the functions that take all of them. */
export const RUNTIME_OPTIONS: OptionNames<RuntimeOptions> = {
  now: true,
  wait: true,
  random: true,
  remainingMs: true,
  signal: true,
};

/** Returns the runtime of the machine, with the parts that the caller replaces. @internal */
export function runtimeOf({
  now = Date.now,
  wait = sleep,
  random = Math.random,
  remainingMs = unlimitedMs,
}: RuntimeOptions = {}): Runtime {
  return { now, wait, random, remainingMs };
}

/** Waits; throws the signal's reason if that is aborted first. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  try {
    await delay(milliseconds, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}

function unlimitedMs(): number {
  return Number.POSITIVE_INFINITY;
}
