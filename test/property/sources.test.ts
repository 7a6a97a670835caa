import { describe, expect, it } from 'vitest';
import { DIRECTED } from '../simulator/packs/sources/directed.ts';
import { SOURCES_MUTANTS } from '../simulator/packs/sources/planted.ts';
import { plantedBugs, rare, seeds } from '../support/extent.ts';
import { rightSchedules } from '../support/right-schedules.ts';
import { isFound } from '../support/shown.ts';

/** `npm run simulate -- sources --runs 20000` runs more of them. */
const SEEDS = seeds({ part: 100, whole: 3_000 });

describe('sources under an attack that knows their rules alone', () => {
  it('make in the end what the mapping makes, their check says so, and a walk mends what is broken', async () => {
    const counters = await rightSchedules('sources', SEEDS);
    const met = ['map', 'back', 'failover', 'lost', 'touches again', 'sleepers', 'crashes', 'conflicts', 'damaged'];
    expect(rare([...met, 'lost answers', 'retired'], counters, SEEDS.count, 0.1)).toEqual([]);
  });

  it.each(Object.entries(DIRECTED))('do so in a schedule that is written down: %s', async (_name, play) => {
    expect(await play()).toEqual([]);
  });

  it.each(plantedBugs(SOURCES_MUTANTS))('do not with a planted bug: $name ($rule)', async (mutant) => {
    expect(await isFound(mutant, { pack: 'sources', schedules: 3_000, hasWritten: true })).toBe(true);
  });
});
