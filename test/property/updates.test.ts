import { describe, expect, it } from 'vitest';
import { UPDATE_MUTANTS } from '../schedules/mutants.ts';
import { isShown } from '../schedules/shown.ts';
import { runUpdates } from '../schedules/updates.ts';
import { plantedBugs, runs } from '../support/extent.ts';

/** `npm run simulate -- updates --runs 200000` runs more of them. */
const RUNS = runs({ part: 150, whole: 1_000 });

describe('writers of every kind on the same items, with lost answers', () => {
  it('lose no value of another and make no change twice', async () => {
    const failures: string[] = [];
    for (let seed = 1; seed <= RUNS; seed++) failures.push(...(await runUpdates(seed)));
    expect(failures).toEqual([]);
  });

  it.each(plantedBugs(UPDATE_MUTANTS))('show a planted bug: $name ($rule)', async (mutant) => {
    expect(await isShown(mutant, 'updates', 4_000)).toBe(true);
  });
});
