import type { Change } from './changes.ts';

/** A planted bug: the production code with one rule of its protocol broken. */
export interface Mutant {
  name: string;
  /** The rule that it breaks, and so the reason why the rule is there. */
  rule: string;
  /** How it is broken, each change at a mark of the code. */
  changes: readonly Change[];
}
