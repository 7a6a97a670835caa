import { describe, expect, it } from 'vitest';
import { firstSeedOf, VERIFY_MUTANTS } from '../simulator/observer/planted.ts';
import type { Mutant } from '../simulator/planted/mutant.ts';
import { Runner } from '../simulator/runner.ts';
import { plantedBugs, runs } from '../support/extent.ts';
import { rightSchedules } from '../support/right-schedules.ts';

/**
 * The promise of the observer, attacked by a table, a stream, a consumer and an oracle that share no code with the library: what it claims
 * is so, what it calls drift is drift, at rest it tells of all drift, and its time goes on when all is calm. Longer runs:
 * `npm run simulate:verify -- --runs N --seed S`.
 */

const SCHEDULES = runs({ part: 100, whole: 2_000 });
/** A planted bug shows in one of this many schedules. */
const SWEEP = 400;
const CHUNK = 50;
/** An error that is thrown says nothing of the rule. */
const SHOWN_BY = ['unsound', 'false-alarm', 'unseen-drift', 'stalled'];
/** What schedules have to be full of, or passing them says nothing. */
const HAPPENS = ['writes', 'damages', 'splits', 'restarts', 'bases', 'claims', 'alarms', 'last words with drift'];

describe('the observer of a plain table', () => {
  const counters: Record<string, number> = {};

  it(`is right in ${SCHEDULES} schedules`, async () => {
    Object.assign(counters, await rightSchedules('verify', SCHEDULES));
  }, 3_600_000);

  it.each(HAPPENS)('has met in them: %s', (what) => {
    expect(counters[what]).toBeGreaterThan(SCHEDULES / 20);
  });
});

describe('bugs that are planted in the observer', () => {
  it.each(plantedBugs(VERIFY_MUTANTS))(
    '$name is found by the attack: $rule',
    async (mutant) => {
      expect(await isFound(mutant)).toBe(true);
    },
    1_800_000,
  );

  it('are some', () => {
    expect(VERIFY_MUTANTS.length).toBeGreaterThan(5);
  });
});

async function isFound(mutant: Mutant): Promise<boolean> {
  const runner = await Runner.start(mutant);
  try {
    const start = firstSeedOf(mutant);
    for (let first = start; first < start + SWEEP; first += CHUNK) {
      const { byKind } = await runner.runSeeds({ first, count: CHUNK, mostFailures: 1, world: 'verify' });
      if (SHOWN_BY.some((kind) => byKind[kind] !== undefined)) return true;
    }
    return false;
  } finally {
    await runner.stop();
  }
}
