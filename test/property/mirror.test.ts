import { describe, expect, it } from 'vitest';
import { MIRROR_MUTANTS } from '../simulator/packs/mirror/planted.ts';
import { LINES_MUTANTS } from '../simulator/packs/mirror-lines/planted.ts';
import { plantedBugs, seeds } from '../support/extent.ts';
import { rightSchedules } from '../support/right-schedules.ts';
import { isFound } from '../support/shown.ts';

/** `npm run simulate -- mirror --runs 20000` runs more of them. */
const SEEDS = seeds({ part: 450, whole: 6_000 });
/** Bugs that the attack which is written apart shows. */
const BY_ATTACK: readonly string[] = ['mirror-source-item-first'];

describe('base items that are made of the items of another table', () => {
  it('are in the end what the mapping makes of them, whatever happened on the way', async () => {
    await rightSchedules('mirror', SEEDS);
  });

  it.each(plantedBugs(MIRROR_MUTANTS))('are not with a planted bug: $name ($rule)', async (mutant) => {
    const pack = BY_ATTACK.includes(mutant.name) ? 'mirror-attack' : 'mirror';
    expect(await isFound(mutant, { pack, schedules: 3_000 })).toBe(true);
  });
});

describe("base items that are made of another system's log", () => {
  it('are in the end what the newest lines make, whatever their order', async () => {
    await rightSchedules('mirror-lines', seeds({ part: 100, whole: 3_000 }));
  });

  it.each(plantedBugs(LINES_MUTANTS))('are not with a planted bug: $name ($rule)', async (mutant) => {
    expect(await isFound(mutant, { pack: 'mirror-lines', schedules: 1_000 })).toBe(true);
  });
});
