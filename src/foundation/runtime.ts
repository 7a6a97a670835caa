import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { OptionNames } from './options.ts';

/** The clock, timer, random numbers and time limit of a run. Tests and simulators replace them. */
export interface Runtime {
  /** Milliseconds since 1970. */
  now: () => number;
  /** Rejects with the signal's reason if the signal aborts first. */
  wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Returns a number from 0 to below 1. */
  random: () => number;
  /** Returns the milliseconds left. At 0 no new call is started. */
  remainingMs: () => number;
}

/** The option to stop a call early. */
export interface Abortable {
  /**
   * After an abort, the call rejects with the signal's reason. A write sends no further requests, and waits for the
   * requests already sent.
   */
  signal?: AbortSignal | undefined;
}

/** Options that replace parts of the runtime. */
export interface RuntimeOptions extends Abortable {
  /** @internal */
  now?: (() => number) | undefined;
  /** @internal */
  wait?: ((milliseconds: number, signal?: AbortSignal) => Promise<void>) | undefined;
  /** @internal */
  random?: (() => number) | undefined;
  /**
   * Returns the milliseconds left; called many times. At 0, the run stops at a place from which the next run can
   * continue. Default: unlimited.
   */
  remainingMs?: (() => number) | undefined;
}

export const RUNTIME_OPTIONS: OptionNames<RuntimeOptions> = {
  now: 'internal',
  wait: 'internal',
  random: 'internal',
  remainingMs: 'function',
  signal: true,
};

/** @internal */
export function runtimeOf({
  now = Date.now,
  wait = sleep,
  random = Math.random,
  remainingMs = () => Number.POSITIVE_INFINITY,
}: RuntimeOptions = {}): Runtime {
  return { now, wait, random, remainingMs };
}

/** Node warns about more than ten listeners, but all waits of a run share its signal. */
export function allowManyListeners(signal: AbortSignal): void {
  // A polyfill's signal isn't one of Node's EventTargets.
  if (signal instanceof EventTarget) setMaxListeners(0, signal);
}

export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (signal !== undefined) allowManyListeners(signal);
  try {
    await delay(milliseconds, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  }
}
