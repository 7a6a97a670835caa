import { describe, expect, it } from 'vitest';
import { MIRROR_MUTANTS } from '../schedules/mirror-mutants.ts';
import { runSchedules } from '../schedules/run.ts';
import { isShown } from '../schedules/shown.ts';
import { plantedBugs, seeds } from '../support/extent.ts';

/** `npm run simulate -- mirror --runs 20000` runs more of them. */
const { first, count } = seeds({ part: 1_000, whole: 6_000 });

describe('base items that are made of the items of another table', () => {
  it('are in the end what the mapping makes of them, whatever happened on the way', async () => {
    const report = await runSchedules('mirror', { runs: count, failures: 1 }, first);
    expect(report.failures).toEqual([]);
    expect(report.runs).toBe(count);
  });

  it.each(plantedBugs(MIRROR_MUTANTS))('are not with a planted bug: $name ($rule)', async (mutant) => {
    expect(await isShown(mutant, 'mirror', 3_000)).toBe(true);
  });
});
