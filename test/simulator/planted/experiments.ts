import { insertBefore } from './changes.ts';
import type { Mutant } from './mutant.ts';

/** Changes of the protocol that are not known to be wrong: for long runs only, `npm run simulate -- projecting --mutant NAME`. */
export const EXPERIMENTS: readonly Mutant[] = [
  {
    name: 'agreeing-skips-write',
    rule: 'Would it do that a stale unit which agrees without a look at the base items does not write?',
    changes: [
      insertBefore(
        'stale-unit-leaves-a-trace',
        'if (isStale(unit.newest, current) && contradictingChanges(unit, current).length === 0) return;',
      ),
    ],
  },
];
