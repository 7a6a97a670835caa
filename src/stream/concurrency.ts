import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';

/** Lets at most `limit` actions run at once; the others wait in line. */
export class Gate {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(limit: number) {
    this.free = limit;
  }

  /** Runs an action when its turn comes. */
  async run<T>(action: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await action();
    } finally {
      const next = this.waiting.shift();
      // The place is handed over, so nobody can slip in between.
      if (next === undefined) this.free += 1;
      else next();
    }
  }
}

/** A controller whose signal any number of shards may wait for; by default Node warns of more than ten. */
export function createController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** Waits, or less long where the signal ends it. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await delay(milliseconds, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Something to wait for that others ring; a ring that nobody waits for is kept for the next wait. */
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
