import { describe, expect, it } from 'vitest';
import { LEDGER_MUTANTS } from '../simulator/ledgers/planted.ts';
import type { Mutant } from '../simulator/planted/mutant.ts';
import { Runner } from '../simulator/runner.ts';
import { plantedBugs, runs } from '../support/extent.ts';
import { rightSchedules } from '../support/right-schedules.ts';

/**
 * The promise of totals and of parts of nodes: at rest the reader's answers are those of an oracle that knows the base items alone, a
 * check finds what is wrong and nothing else, and a repair leaves nothing wrong. The table, the stream and the oracle of the attack are
 * its own, written from the pages for users. Longer runs: `npm run simulate:ledgers -- --runs N --seed S`.
 */

const SCHEDULES = runs({ part: 300, whole: 3_000 });
/** A planted bug shows in one of this many schedules. */
const SWEEP = 400;
/** An error that is thrown says nothing of the rule. */
const SHOWN_BY = ['wrong', 'false-alarm', 'unseen-drift', 'left-by-repair'];

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
  const counters: Record<string, number> = {};

  it(`are right in ${SCHEDULES} schedules`, async () => {
    Object.assign(counters, await rightSchedules('ledgers', SCHEDULES));
  }, 3_600_000);

  it.each(HAPPENS)('have met in them: %s', (what) => {
    expect(counters[what]).toBeGreaterThan(SCHEDULES / 100);
  });
});

describe('bugs that are planted in the rules of totals and parts', () => {
  it.each(plantedBugs(LEDGER_MUTANTS))(
    '$name is found by the attack too: $rule',
    async (mutant) => {
      expect(await isFound(mutant)).toBe(true);
    },
    1_800_000,
  );
});

async function isFound(mutant: Mutant): Promise<boolean> {
  const runner = await Runner.start(mutant);
  try {
    const { seeds } = await runner.runSeeds({ first: 1, count: SWEEP, mostFailures: 1, world: 'ledgers' });
    return seeds.some(({ failures }) => failures.some(({ kind }) => SHOWN_BY.includes(kind)));
  } finally {
    await runner.stop();
  }
}
