import { type RetryOptions, retrying } from '../foundation/retry.ts';
import { sleep } from '../foundation/runtime.ts';

export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(milliseconds, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

export interface RunRetryOptions extends Pick<RetryOptions, 'isRetryable'> {
  stopping: AbortSignal;
  isEnding: () => boolean;
  minimumMs?: number;
}

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

/** Ends a wait early. A ring before the wait ends it at once. */
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
