import { describe, expect, it } from 'vitest';
import { NATIVE_MUTANTS } from '../simulator/packs/native/planted.ts';
import { plantedBugs, seeds } from '../support/extent.ts';
import { rightSchedules } from '../support/right-schedules.ts';
import { isFound } from '../support/shown.ts';

/** `npm run simulate -- native --runs 40000` runs more of them. */
const SEEDS = seeds({ part: 150, whole: 1_500 });

describe('native orders and searches, while the index lags', () => {
  it('give each item that is expected once, in the order of their values, and own writes at once', async () => {
    await rightSchedules('native', SEEDS);
  });

  it.each(plantedBugs(NATIVE_MUTANTS))('show a planted bug: $name ($rule)', async (mutant) => {
    expect(await isFound(mutant, { pack: 'native', schedules: 2_000 })).toBe(true);
  });
});
