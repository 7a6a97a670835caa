import { describe, expect, it } from 'vitest';
import { JOINED_MUTANTS } from '../simulator/packs/joined/planted.ts';
import { plantedBugs, runs } from '../support/extent.ts';
import { rightSchedules } from '../support/right-schedules.ts';
import { isFound } from '../support/shown.ts';

/** `npm run simulate -- joined --runs 300000` runs more of them. */
const RUNS = runs({ part: 150, whole: 1_000 });

describe('consumers of edges and of their source, given up, replayed and side by side', () => {
  it('leave every index item of the two as both want it, and the count exact', async () => {
    await rightSchedules('joined', { first: 1, count: RUNS });
  });

  it.each(plantedBugs(JOINED_MUTANTS))('show a planted bug: $name ($rule)', async (mutant) => {
    expect(await isFound(mutant, { pack: 'joined', schedules: 12_000 })).toBe(true);
  });
});
