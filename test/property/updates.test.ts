import { describe, expect, it } from 'vitest';
import { UPDATE_MUTANTS } from '../simulator/packs/updates/planted.ts';
import { plantedBugs, runs } from '../support/extent.ts';
import { rightSchedules } from '../support/right-schedules.ts';
import { isFound } from '../support/shown.ts';

/** `npm run simulate -- updates --runs 200000` runs more of them. */
const RUNS = runs({ part: 150, whole: 1_000 });

describe('writers of every kind on the same items, with lost answers', () => {
  it('lose no value of another and make no change twice', async () => {
    await rightSchedules('updates', { first: 1, count: RUNS });
  });

  it.each(plantedBugs(UPDATE_MUTANTS))('show a planted bug: $name ($rule)', async (mutant) => {
    expect(await isFound(mutant, { pack: 'updates', schedules: 4_000 })).toBe(true);
  });
});
