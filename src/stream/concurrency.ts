import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type RetryOptions, retrying } from '../foundation/retry.ts';

/** Any number of shards may wait for its signal; by default Node warns of more than ten. */
export function createController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** The signal ends the wait early. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(milliseconds, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

export interface RunRetryOptions extends Pick<RetryOptions, 'isRetryable'> {
  /** Ends a wait between tries. */
  stopping: AbortSignal;
  /** Whether the run has ended; asked after each wait. */
  isEnding: () => boolean;
  /** The shortest wait between tries. Default 0. */
  minimumMs?: number;
}

/** Undefined if the run ended first. Throws errors that aren't retryable. */
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

/** A ring before the wait is kept for it. */
export class Bell {
  private isRung = false;
  private wake: (() => void) | undefined;

  ring(): void {
    this.isRung = true;
    this.wake?.();
  }

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
