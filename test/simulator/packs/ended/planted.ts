import { dropProperty, setValue } from '../../planted/changes.ts';
import type { Mutant } from '../../planted/mutant.ts';

/** Rules of the sweep over due-lists, broken one by one. */
export const ENDED_MUTANTS: readonly Mutant[] = [
  {
    name: 'prolonged-edge-deleted',
    rule: 'A sweep deletes an edge only if the edge still ends at the time that the due-list names.',
    changes: [dropProperty('edge-is-deleted-while-it-ends-then', 'equal')],
  },
  {
    name: 'deleted-before-its-end',
    rule: "A sweep reads due-lists only up to DynamoDB's current time, so that it deletes no edge before its end.",
    changes: [setValue('due-list-is-read-up-to-now', 'highestSortKeyOfValue(encodeNumber(String(nowMs)))')],
  },
  {
    name: 'deleted-by-another-model',
    rule: 'A sweep deletes only edges of types that end under its own model, whatever due-lists the table has.',
    changes: [setValue('only-what-ends-by-the-own-model-is-deleted', 'kept')],
  },
  {
    name: 'one-due-list-for-all',
    rule: 'A sweep reads the due-lists of all generations, because each generation has its own keys.',
    changes: [
      setValue('due-lists-of-all-generations-are-gone-through', '[graph].flatMap(({ edges }) => [...edges.values()])'),
    ],
  },
];
