import { replace, setCondition, setValue } from './changes.ts';
import type { Mutant } from './mutant.ts';

/** Planted in the counts of edges. */
export const DEGREE_MUTANTS: readonly Mutant[] = [
  {
    name: 'count-apart',
    rule: "A count moves in one transaction with the edges' items.",
    changes: [
      replace(
        'count-moves-with-its-items',
        `if (await transacted(context, updates)) {
    await context.store.update(countUpdate(context.graph, source, countName, change));
    return open;
  }`,
      ),
    ],
  },
  {
    name: 'count-by-record',
    rule: 'What an edge adds to the count follows from its item as it was seen, not from the record.',
    changes: [setValue('count-follows-the-item-seen', 'wanted?.[COUNTED] !== undefined ? 1 : -1')],
  },
  {
    name: 'repair-uncounted',
    rule: 'A repair of a counted item moves the count.',
    changes: [setCondition('repair-moves-the-count', (old) => `${old} || countName !== ''`)],
  },
];
