import { describe, expect, it } from 'vitest';
import { LEDGER_MUTANTS } from '../simulator/packs/ledgers/planted.ts';
import { plantedBugs, rare, seeds } from '../support/extent.ts';
import { rightSchedules } from '../support/right-schedules.ts';
import { isFound, type Search } from '../support/shown.ts';

/**
 * The promise of totals and of parts of nodes: at rest the reader's answers are those of an oracle that knows the base items alone, a
 * check finds what is wrong and nothing else, and a repair leaves nothing wrong. The stream and the oracle of the attack are its own,
 * written from the pages for users. Longer runs: `npm run simulate -- ledgers --runs N --seed S`.
 */

const SCHEDULES = seeds({ part: 100, whole: 3_000 });
const SEARCH: Search = { pack: 'ledgers', schedules: 400 };

/** What schedules have to be full of, or passing them says nothing; each in one of a hundred schedules or more. */
const HAPPENS = [
  'deliver',
  'replay',
  'crash',
  'leave',
  'redrive',
  'repair',
  'split',
  'expire',
  'silence',
  'lose',
  'damage',
];

describe('totals and parts', () => {
  it(`are right in ${SCHEDULES.count} schedules, in which everything happens`, async () => {
    const counters = await rightSchedules('ledgers', SCHEDULES);
    expect(rare(HAPPENS, counters, SCHEDULES.count, 0.01)).toEqual([]);
  }, 3_600_000);
});

describe('bugs that are planted in the rules of totals and parts', () => {
  it.each(plantedBugs(LEDGER_MUTANTS))('$name is found by the attack too: $rule', async (mutant) => {
    expect(await isFound(mutant, SEARCH)).toBe(true);
  });
});
