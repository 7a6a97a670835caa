import { setCondition } from '../../planted/changes.ts';
import type { Mutant } from '../../planted/mutant.ts';

/** Bugs planted in what those who watch lists and nodes rely on. */
export const WATCH_MUTANTS: readonly Mutant[] = [
  {
    name: 'named-list-is-read-once',
    rule: 'A list that a record names is read again once the index must show the change.',
    changes: [setCondition('index-may-not-show-new-rows-yet', 'isNew')],
  },
];
