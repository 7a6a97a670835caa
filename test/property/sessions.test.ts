import { describe, expect, it } from 'vitest';
import { WALK_MUTANTS } from '../simulator/packs/updates/planted.ts';
import { plantedBugs, runs } from '../support/extent.ts';
import { rightSchedules } from '../support/right-schedules.ts';
import { isFound } from '../support/shown.ts';

/** `npm run simulate -- walks --runs 40000` runs more of them. */
const RUNS = runs({ part: 100, whole: 600 });

describe('walks over pages with a session, while projector and index lag', () => {
  it('show each own write once, in its place', async () => {
    await rightSchedules('walks', { first: 1, count: RUNS });
  });

  it.each(plantedBugs(WALK_MUTANTS))('show a planted bug: $name ($rule)', async (mutant) => {
    expect(await isFound(mutant, { pack: 'walks', schedules: 4_000 })).toBe(true);
  });
});
