import type { StoreErrorKind } from '../../../../src/foundation/errors.ts';
import type { World } from './world.ts';

/** A process that calls the table, as the table's faults see it. */
export abstract class SimulatedProcess {
  /** What a failed call is to it. One that ends at the first failure takes all of them for fatal. */
  abstract readonly failureKind: StoreErrorKind;
  /** It is a client of an application: it writes base items, and its calls do not fail. */
  readonly isApplication: boolean = false;
  /** The process has ended and runs no more code. Calls that are under way may still take effect. */
  isDead = false;
  protected calls = 0;

  constructor(
    readonly world: World,
    /** Its calls' choices are named after it. */
    readonly name: string,
  ) {}

  /** A name for the next call to the table, and how long the process stands still before it. */
  nextCall(): { name: string; stall: number } {
    this.calls += 1;
    return { name: `${this.name}.call${this.calls}`, stall: 0 };
  }

  /** Waits by the simulated clock. */
  wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.world.agenda.in(milliseconds, () => {
        if (this.isDead) return false;
        resolve();
        return true;
      });
    });
  }

  /** The process ends here. */
  die(how: string): void {
    this.isDead = true;
    this.world.tell(() => `${this.name} ${how}`);
  }
}
