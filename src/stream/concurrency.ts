import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type RetryOptions, retrying } from '../foundation/retry.ts';

/** A controller whose signal any number of shards may wait for; by default Node warns of more than ten. */
export function createController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** Waits for a time; the signal ends the wait early. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(milliseconds, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** When tries end that are part of a run. */
export interface RunRetryOptions extends Pick<RetryOptions, 'isRetryable'> {
  /** Cuts a wait between two tries short. */
  stopping: AbortSignal;
  /** Tells whether the run has ended; asked after each wait. */
  isEnding: () => boolean;
  /** The shortest wait between two tries. Default 0. */
  minimumMs?: number;
}

/** Tries an action until it succeeds; undefined where the run ended before it did. Throws what is not retryable. */
export async function retryingUntil<T>(
  { isRetryable, stopping, isEnding, minimumMs = 0 }: RunRetryOptions,
  action: () => Promise<T>,
): Promise<T | undefined> {
  let hasEnded = false;
  const noteEnding = (): boolean => {
    hasEnded = isEnding();
    return hasEnded;
  };
  try {
    return await retrying(action, {
      isRetryable,
      wait: (milliseconds) => pause(Math.max(minimumMs, milliseconds), stopping),
      isEnding: noteEnding,
    });
  } catch (error) {
    if (hasEnded) return undefined;
    throw error;
  }
}

/** Something to wait for that others ring. A ring that comes before the wait is kept for it. */
export class Bell {
  private isRung = false;
  private wake: (() => void) | undefined;

  /** Ends the wait. */
  ring(): void {
    this.isRung = true;
    this.wake?.();
  }

  /** Waits until it rings or the time is over. */
  async wait(milliseconds: number): Promise<void> {
    if (!this.isRung) {
      const rung = new AbortController();
      this.wake = () => rung.abort();
      await pause(milliseconds, rung.signal);
      this.wake = undefined;
    }
    this.isRung = false;
  }
}
