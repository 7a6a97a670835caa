import { describe, expect, it } from 'vitest';
import { ENDED_MUTANTS } from '../simulator/packs/ended/planted.ts';
import { plantedBugs, runs } from '../support/extent.ts';
import { rightSchedules } from '../support/right-schedules.ts';
import { isFound } from '../support/shown.ts';

/** `npm run simulate -- ended --runs 20000` runs more of them. */
const RUNS = runs({ part: 10, whole: 300 });

describe('edges that end and are counted', () => {
  it('are deleted when they are over, and never before, and their counts follow', async () => {
    await rightSchedules('ended', { first: 1, count: RUNS });
  });

  it.each(plantedBugs(ENDED_MUTANTS))('fail with a planted bug: $name ($rule)', async (mutant) => {
    expect(await isFound(mutant, { pack: 'ended', schedules: 1_000 })).toBe(true);
  });
});
