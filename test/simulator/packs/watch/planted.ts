import { setCondition } from '../../planted/changes.ts';
import type { Mutant } from '../../planted/mutant.ts';

/** Bugs planted in what those who watch lists and nodes rely on. */
export const WATCH_MUTANTS: readonly Mutant[] = [
  {
    name: 'row-that-the-index-lacks-is-left-out',
    rule: 'A row that a record has told is in the list, although the index does not show it yet.',
    changes: [setCondition('index-may-not-show-new-rows-yet', (old) => `${old} || isNew(row.place)`)],
  },
];
