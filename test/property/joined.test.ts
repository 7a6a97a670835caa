import { describe, expect, it } from 'vitest';
import { runJoined } from '../schedules/joined.ts';
import { JOINED_MUTANTS } from '../schedules/joined-mutants.ts';
import { isShown } from '../schedules/shown.ts';
import { plantedBugs, runs } from '../support/extent.ts';

/** `npm run simulate -- joined --runs 300000` runs more of them. */
const RUNS = runs({ part: 150, whole: 1_000 });

describe('consumers of edges and of their source, given up, replayed and side by side', () => {
  it('leave every index item of the two as both want it, and the count exact', async () => {
    const failures: string[] = [];
    for (let seed = 1; seed <= RUNS; seed++) failures.push(...(await runJoined(seed)));
    expect(failures).toEqual([]);
  });

  it.each(plantedBugs(JOINED_MUTANTS))('show a planted bug: $name ($rule)', async (mutant) => {
    expect(await isShown(mutant, 'joined', 12_000)).toBe(true);
  });
});
