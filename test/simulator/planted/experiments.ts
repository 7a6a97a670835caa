import { TRANSACTION } from './degree.ts';
import type { Mutant } from './mutant.ts';

/** Changes of the protocol that are not known to be wrong: for long runs only, `npm run simulate -- --mutant NAME`. */
export const EXPERIMENTS: readonly Mutant[] = [
  {
    name: 'agreeing-skips-write',
    rule: 'Would it do that a stale unit which agrees without a look at the base items does not write?',
    patches: [
      {
        file: 'src/apply/view.ts',
        find: '    const update = slowViewUpdate(',
        replace:
          '    if (isStale(unit.newest, current) && contradictions(unit, current).length === 0) return;\n    const update = slowViewUpdate(',
      },
    ],
  },
  {
    name: 'count-unmoved-by-exchange',
    // A Query of DynamoDB is no snapshot, the simulator's is: only the former could count one half of an exchange.
    rule: 'Would it do that edges which come and go in equal number leave the count alone?',
    patches: [
      {
        file: 'src/apply/counted.ts',
        find: TRANSACTION,
        replace:
          'const withCount = change === 0 ? updates : [...updates, countUpdate(context.graph, source, countName, change)];\n  if (await transacted(context, withCount)) return open;',
      },
    ],
  },
];
