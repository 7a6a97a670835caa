import { drop } from './changes.ts';
import type { Mutant } from './mutant.ts';

/** Planted in repair and rebuild. */
export const REPAIR_MUTANTS: readonly Mutant[] = [
  {
    name: 'rebuild-drops-the-rest',
    rule: 'The last suspects of a partition are settled too.',
    changes: [drop('last-suspects-of-a-partition-are-reconciled')],
  },
];
