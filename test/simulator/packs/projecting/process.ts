import type { StoreErrorKind } from '../../../../src/foundation/errors.ts';
import type { World } from './world.ts';

/** A process that calls the table, as the table's faults see it. */
export interface SimulatedProcess {
  readonly world: World;
  /** Its calls' choices are named after it. */
  readonly name: string;
  /** It is gone: nothing of it runs on. Calls that are under way may still take effect. */
  readonly isDead: boolean;
  /** What a failed call is to it. One that ends at the first failure takes all of them for fatal. */
  readonly failureKind: StoreErrorKind;
  /** It is a client of an application: it writes base items, and its calls do not fail. */
  readonly isApplication?: boolean;
  /** A name for the next call to the table, and how long the process stands still before it. */
  nextCall(): { name: string; stall: number };
  /** The process ends here. */
  die(how: string): void;
}
