import { setTimeout as delay } from 'node:timers/promises';
import type { OptionNames } from './options.ts';

/** What a run takes from outside besides the store; tests and simulators replace it. */
export interface Runtime {
  /** Milliseconds since 1970. */
  now: () => number;
  /** Throws the signal's reason if aborted first. */
  wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** From 0 to below 1. */
  random: () => number;
  /** At 0 no new call is started. */
  remainingMs: () => number;
}

/** An option of calls that take time. */
export interface Abortable {
  /**
   * Stops the call early; it rejects with the signal's reason. A write makes no further request, and waits for those
   * already sent.
   */
  signal?: AbortSignal | undefined;
}

/** Options that replace parts of the runtime. */
export interface RuntimeOptions extends Abortable {
  /** Milliseconds since 1970. @internal */
  now?: (() => number) | undefined;
  /** @internal */
  wait?: ((milliseconds: number, signal?: AbortSignal) => Promise<void>) | undefined;
  /** From 0 to below 1. @internal */
  random?: (() => number) | undefined;
  /** Milliseconds left; called many times. At 0 the run stops where it can continue. Default: unlimited. */
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
