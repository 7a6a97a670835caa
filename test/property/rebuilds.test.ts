import { describe, expect, it } from 'vitest';
import { REBUILDS_MUTANTS } from '../simulator/packs/rebuilds/planted.ts';
import { runRebuilds } from '../simulator/packs/rebuilds/schedule.ts';
import { plantedBugs, runs } from '../support/extent.ts';
import { isFound } from '../support/shown.ts';

/** `npm run simulate -- rebuilds --runs 300000` runs more of them. */
const RUNS = runs({ part: 50, whole: 1_500 });
/** Schedules in which a batch of the old model left items or counts that the new one does not have. */
const SHOWN: readonly number[] = [15, 69, 108, 210, 1_527, 1_886, 2_375];

describe('batches of two models beside a rebuild of a table without a registry', () => {
  it('leave every derived item as the new model wants it', async () => {
    const failures: string[] = [];
    const seeds = new Set([...SHOWN, ...Array.from({ length: RUNS }, (_, i) => i + 1)]);
    for (const seed of seeds) failures.push(...(await runRebuilds(seed)));
    expect(failures).toEqual([]);
  }, 900_000);

  it.each(plantedBugs(REBUILDS_MUTANTS))('show a planted bug: $name ($rule)', async (mutant) => {
    expect(await isFound(mutant, { pack: 'rebuilds', schedules: 3_000 })).toBe(true);
  });
});
