import { setTimeout as delay } from 'node:timers/promises';
import type { OptionNames } from './options.ts';

/**
 * What a run takes from outside besides the store: time, waiting and randomness. Tests and simulators replace it, so
 * that a run depends on nothing else.
 */
export interface Runtime {
  /** The current time in milliseconds since 1970. */
  now: () => number;
  /** Throws the signal's reason if aborted first. */
  wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** A random number from 0 to below 1, for the jitter of retries. */
  random: () => number;
  /** Milliseconds left; called many times. At 0 no new call is started. */
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

/** Options that replace parts of the runtime. A function picks those it supports. */
export interface RuntimeOptions extends Abortable {
  /** The current time in milliseconds since 1970. Default: the machine's. @internal */
  now?: (() => number) | undefined;
  /** Waits this many milliseconds. Default: a timer. @internal */
  wait?: ((milliseconds: number, signal?: AbortSignal) => Promise<void>) | undefined;
  /** A random number from 0 to below 1, for the jitter of retries. Default: `Math.random`. @internal */
  random?: (() => number) | undefined;
  /** Milliseconds left; called many times. At 0 the run stops where it can continue later. Default: unlimited. */
  remainingMs?: (() => number) | undefined;
}

export const RUNTIME_OPTIONS: OptionNames<RuntimeOptions> = {
  now: true,
  wait: true,
  random: true,
  remainingMs: true,
  signal: true,
};

/** The machine's runtime, with the replaced parts. @internal */
export function runtimeOf({
  now = Date.now,
  wait = sleep,
  random = Math.random,
  remainingMs = unlimitedMs,
}: RuntimeOptions = {}): Runtime {
  return { now, wait, random, remainingMs };
}

/** Throws the signal's reason if aborted first. */
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
