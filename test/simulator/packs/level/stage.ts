import { Agenda, codeRunsOn } from '../../kernel/agenda.ts';

/** When a schedule begins. */
const START_MS = Date.UTC(2026, 0, 2);

/** Virtual time: whoever waits is woken by the agenda, one at a time. */
export class Stage {
  readonly agenda = new Agenda(START_MS);

  get nowMs(): number {
    return this.agenda.now;
  }

  /** Resolves after so many milliseconds; at once where that is none. */
  async sleep(milliseconds: number): Promise<void> {
    if (milliseconds <= 0) return;
    await new Promise<void>((resolve) => {
      this.agenda.in(milliseconds, () => {
        resolve();
        return true;
      });
    });
  }

  /** Lets things happen until nothing is left, or `beforeEach` says that it is enough. */
  async run(beforeEach: (leapMs: number) => boolean): Promise<void> {
    await codeRunsOn();
    for (let last = this.nowMs; ; last = this.nowMs) {
      const happening = this.agenda.next();
      if (happening === undefined || !beforeEach(this.nowMs - last)) return;
      if (happening() === true) await codeRunsOn();
    }
  }
}

/** A promise that nothing resolves: the answer to a process that is dead. */
export function never(): Promise<never> {
  return new Promise(() => undefined);
}
