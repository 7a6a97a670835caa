import { describe, expect, it } from 'vitest';
import { VERIFY_MUTANTS } from '../simulator/packs/observer/planted.ts';
import { plantedBugs, rare, seeds } from '../support/extent.ts';
import { rightSchedules } from '../support/right-schedules.ts';
import { isFound, type Search } from '../support/shown.ts';

/**
 * The promise of the observer, attacked by a consumer and an oracle that share no code with the library: what it claims is so, what it
 * calls drift is drift, at rest it tells of all drift, and its time goes on when all is calm. Longer runs:
 * `npm run simulate -- verify --runs N --seed S`.
 */

const SCHEDULES = seeds({ part: 100, whole: 2_000 });
const SEARCH: Search = { pack: 'verify', schedules: 400 };
/** What schedules have to be full of, or passing them says nothing. */
const HAPPENS = ['writes', 'damages', 'splits', 'restarts', 'bases', 'claims', 'alarms', 'last words with drift'];

describe('the observer of a plain table', () => {
  it(`is right in ${SCHEDULES.count} schedules, in which everything happens`, async () => {
    const counters = await rightSchedules('verify', SCHEDULES);
    expect(rare(HAPPENS, counters, SCHEDULES.count, 0.05)).toEqual([]);
  }, 3_600_000);
});

describe('bugs that are planted in the observer', () => {
  it.each(plantedBugs(VERIFY_MUTANTS))('$name is found by the attack: $rule', async (mutant) => {
    expect(await isFound(mutant, SEARCH)).toBe(true);
  });

  it('are some', () => {
    expect(VERIFY_MUTANTS.length).toBeGreaterThan(5);
  });
});
