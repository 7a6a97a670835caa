import { describe, expect, it } from 'vitest';
import { WALK_MUTANTS } from '../schedules/mutants.ts';
import { isShown } from '../schedules/shown.ts';
import { runWalks } from '../schedules/walks.ts';
import { plantedBugs, runs } from '../support/extent.ts';

/** `npm run simulate -- walks --runs 40000` runs more of them. */
const RUNS = runs({ part: 100, whole: 600 });

describe('walks over pages with a session, while projector and index lag', () => {
  it('show each own write once, in its place', async () => {
    const failures: string[] = [];
    for (let seed = 1; seed <= RUNS; seed++) failures.push(...(await runWalks(seed)));
    expect(failures).toEqual([]);
  });

  it.each(plantedBugs(WALK_MUTANTS))('show a planted bug: $name ($rule)', async (mutant) => {
    expect(await isShown(mutant, 'walks', 4_000)).toBe(true);
  });
});
