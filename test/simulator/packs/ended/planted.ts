import { dropProperty, setValue } from '../../planted/changes.ts';
import type { Mutant } from '../../planted/mutant.ts';

/** Rules of the sweep over due-lists, broken one by one. */
export const ENDED_MUTANTS: readonly Mutant[] = [
  {
    name: 'prolonged-edge-deleted',
    rule: 'An edge is deleted only while it ends at the time that the due-list says.',
    changes: [dropProperty('edge-is-deleted-while-it-ends-then', 'equal')],
  },
  {
    name: 'deleted-before-its-end',
    rule: 'A due-list is gone through up to the present moment.',
    changes: [setValue('due-list-is-read-up-to-now', 'highestSortKeyOfValue(encodeNumber(String(nowMs)))')],
  },
  {
    name: 'deleted-by-another-model',
    rule: 'A sweep deletes edges of types that end by its own model, whatever due-lists the table has.',
    changes: [setValue('only-what-ends-by-the-own-model-is-deleted', 'kept')],
  },
  {
    name: 'one-due-list-for-all',
    rule: 'A generation of a due-list has places of its own.',
    changes: [
      setValue('due-lists-of-all-generations-are-gone-through', '[graph].flatMap(({ edges }) => [...edges.values()])'),
    ],
  },
];
