import { Agenda, codeRunsOn } from './agenda.ts';

/** A clock that only moves when everything waits: the next event is the earliest one, so a seed gives one schedule. */
export class Timeline {
  private readonly agenda = new Agenda(Date.UTC(2026, 2, 1));
  /** Events that have happened. */
  events = 0;

  /** Milliseconds since 1970: the true time, which nothing in the world reads without an error of its own. */
  get nowMs(): number {
    return this.agenda.now;
  }

  /** Waits so long; at 0 until others that wait for now have had their turn. */
  sleep(milliseconds: number): Promise<void> {
    return new Promise((wake) => {
      this.agenda.in(Math.max(0, milliseconds), wake);
    });
  }

  /**
   * Lets time pass until the process has ended; what else is on its way then stays so.
   *
   * @param mostEvents a schedule with more of them does not come to rest. Default: no limit.
   */
  async run(main: Promise<unknown>, mostEvents = Number.POSITIVE_INFINITY): Promise<void> {
    let hasEnded = false;
    const ended = main.finally(() => {
      hasEnded = true;
    });
    ended.catch(() => undefined);
    for (let idle = 0; !hasEnded; ) {
      // Every process that does not wait for the clock is on its way to it by promises alone.
      await codeRunsOn();
      if (hasEnded) break;
      if (this.agenda.isEmpty) {
        idle += 1;
        if (idle > 1_000) throw new Error('Every process waits, and none for the clock.');
        continue;
      }
      idle = 0;
      this.events += 1;
      if (this.events > mostEvents) throw new Error('The schedule does not come to rest.');
      this.agenda.next()!();
    }
    await ended;
  }

  /** Passes time in which nothing moves: what was due in a second is due a second after it. */
  skip(milliseconds: number): void {
    this.agenda.skip(milliseconds);
  }
}
