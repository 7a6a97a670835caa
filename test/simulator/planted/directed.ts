import type { Mutant } from './mutant.ts';

/** Planted for the schedules that are written down: drawn ones find them too rarely. */
export const DIRECTED_MUTANTS: readonly Mutant[] = [
  {
    name: 'fast-path-by-newest',
    rule: 'The fast path asks for the oldest record of a unit: one between it and the newest may be applied already.',
    patches: [
      {
        file: 'src/plan/writes/updates.ts',
        find: 'watermark: unit.oldest, notEvicted',
        replace: 'watermark: unit.newest, notEvicted',
      },
    ],
  },
  {
    name: 'counted-agreeing-leaves-no-trace',
    rule: 'A stale record of a counted item that agrees moves the revision: a worker that read the base item before must fail.',
    patches: [
      {
        file: 'src/apply/counted.ts',
        find: '    if (isTheSame && (!isTruth || isSettled)) continue;',
        replace: '    if ((isTheSame && (!isTruth || isSettled)) || (!isTruth && stale.includes(unit))) continue;',
      },
    ],
  },
  {
    name: 'check-fan-out-past',
    rule: 'A fan-out that is past an edge mends nothing there: what is wrong behind it is not on its way.',
    patches: [
      {
        file: 'src/repair/parts/copy.ts',
        find: "return after !== undefined && compareKeys(after, reverseKey(typePrefix(edge) ?? '', source)) < 0;",
        replace: 'return after !== undefined;',
      },
    ],
  },
];
