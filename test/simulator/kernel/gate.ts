import type { Random } from './random.ts';

/**
 * Runs processes one step at a time, in an order that a seed decides: each waits at `step` until it is let on. What
 * happens between two steps of a process happens at once.
 */
export class Gate {
  private waiting: (() => void)[] = [];

  constructor(private readonly random: Random) {}

  /** Waits until it is this process's turn. */
  step(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
    });
  }

  /** Lets the processes go on, one at a time, until all have ended; throws what the first of them threw. */
  async run(processes: readonly Promise<unknown>[]): Promise<void> {
    let hasEnded = false;
    const all = Promise.all(processes).finally(() => {
      hasEnded = true;
    });
    all.catch(() => undefined);
    while (!hasEnded) {
      // Every process that is not at the gate is on its way there by promises alone.
      await new Promise((resolve) => setImmediate(resolve));
      if (this.waiting.length === 0) continue;
      const [next] = this.waiting.splice(this.random.below(this.waiting.length), 1);
      next!();
    }
    await all;
  }
}

/** A place where a process stands still: `pass` waits there until `letGo`; `arrived` says when somebody waits. */
export interface Standstill {
  pass: () => Promise<void>;
  arrived: Promise<void>;
  letGo: () => void;
}

export function standstill(): Standstill {
  let arrive = (): void => undefined;
  let letGo = (): void => undefined;
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const gone = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const pass = async (): Promise<void> => {
    arrive();
    await gone;
  };
  return { pass, arrived, letGo };
}
