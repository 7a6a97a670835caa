import { describe, expect, it } from 'vitest';
import { keptFor } from '../simulator/kernel/kept.ts';
import { OBSERVER_MUTANTS } from '../simulator/packs/observer/planted.ts';
import { isPart, plantedBugs, rare, seeds } from '../support/extent.ts';
import { rightSchedules } from '../support/right-schedules.ts';
import { isFound, type Search } from '../support/shown.ts';
import { SIZES } from '../support/sizes.ts';

/**
 * The promise of the observer: what it claims is so, what it calls drift is drift, at rest it knows of all drift, and its time goes on
 * when all is calm. Longer runs: `npm run simulate -- observer --runs N --seed S`.
 */

const SCHEDULES = seeds(SIZES.observer);
const SEARCH: Search = { pack: 'observer', schedules: 200, chunk: 20 };
/** Those of which no schedule is kept: `test/unit/kept-schedules.test.ts` has the others. */
const DRAWN = OBSERVER_MUTANTS.filter(({ name }) => keptFor('observer', name) === undefined);

/** What schedules have to be full of, or passing them says nothing. */
const HAPPENS = [
  'claims',
  'alarms',
  'last words',
  'last words with drift',
  'restarts of the observer',
  'checks as a base',
  'bases with differences',
  'damages beside the projector',
  'splits',
  'conflicts',
  'duplicate batches',
  'calls with crash after',
  'marks',
  'answers without remembered keys',
  'sweeps of the stream',
];

describe('the observer beside the projector, under schedules of faults, damage and crashes', () => {
  it(`is right in ${SCHEDULES.count} schedules, in which everything happens`, async () => {
    const counters = await rightSchedules('observer', SCHEDULES);
    expect(rare(HAPPENS, counters, SCHEDULES.count, 0.025)).toEqual([]);
  });
});

describe('bugs planted in the observer', () => {
  // A tenth of few bugs may be none of them.
  it('are some', () => {
    expect(DRAWN.length).toBeGreaterThan(5);
  });

  it.skipIf(isPart).each(plantedBugs(DRAWN))('$name is found: $rule', async (mutant) => {
    expect(await isFound(mutant, SEARCH)).toBe(true);
  });
});
