import { describe, expect, it } from 'vitest';
import { DIRECTED } from '../simulator/packs/level/directed.ts';
import { LEVEL_MUTANTS } from '../simulator/packs/level/planted.ts';
import { plantedBugs, runs } from '../support/extent.ts';
import { rightSchedules } from '../support/right-schedules.ts';
import { isFound } from '../support/shown.ts';

/** `npm run simulate -- level --runs 100000` runs more of them. */
const RUNS = runs({ part: 400, whole: 4_000 });

describe('consumers of which the promises alone are known', () => {
  it('leave each derived item as base items want it, whoever sleeps, dies or comes again', async () => {
    const counters = await rightSchedules('level', { first: 1, count: RUNS });
    for (const met of [
      '~ix',
      '~view',
      '~view evicted',
      '~quarantine',
      '~total',
      '~rev',
      'tombstones ~more',
      'expiries',
    ])
      expect(counters[met], met).toBeGreaterThan(0);
  });

  it.each(Object.entries(DIRECTED))('do so in a schedule that is written down: %s', async (_name, play) => {
    expect(await play()).toEqual([]);
  });

  it.each(plantedBugs(LEVEL_MUTANTS))('show a planted bug: $name ($rule)', async (mutant) => {
    expect(await isFound(mutant, { pack: 'level', schedules: 4_000, hasWritten: true })).toBe(true);
  });
});
