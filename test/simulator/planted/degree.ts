import type { Mutant } from './mutant.ts';

const COUNTED = 'src/apply/counted.ts';
const SETTLE = 'src/repair/settle/index-item.ts';
/** The write of counted items and their count. */
export const TRANSACTION =
  'if (await transacted(context, [...updates, countUpdate(context.graph, source, countName, change)])) return open;';

/** Planted in the counts of edges. */
export const DEGREE_MUTANTS: readonly Mutant[] = [
  {
    name: 'count-apart',
    rule: "A count moves in one transaction with the edges' items.",
    patches: [
      {
        file: COUNTED,
        find: TRANSACTION,
        replace:
          'if (await transacted(context, updates)) {\n    await context.store.update(countUpdate(context.graph, source, countName, change));\n    return open;\n  }',
      },
    ],
  },
  {
    name: 'count-by-record',
    rule: 'What an edge adds to the count follows from its item as it was seen, not from the record.',
    patches: [
      {
        file: COUNTED,
        find: '  return isIn(wanted) - isIn(current);',
        replace: '  return wanted?.[COUNTED] !== undefined ? 1 : -1;',
      },
    ],
  },
  {
    name: 'repair-uncounted',
    rule: 'A repair of a counted item moves the count.',
    patches: [
      {
        file: SETTLE,
        find: '    if (countName !== undefined) {',
        replace: '    if (countName !== undefined && graph === undefined) {',
      },
    ],
  },
];
