import { describe, expect, it } from 'vitest';
import { rare, seeds } from '../support/extent.ts';
import { rightSchedules } from '../support/right-schedules.ts';

/** `npm run simulate -- mirror-attack --runs 20000` runs more of them. */
const SEEDS = seeds({ part: 300, whole: 3_000 });

describe('a mirror under an attack that knows its rules alone', () => {
  it('is in the end what the mapping makes, its check says so, and repair mends what is broken', async () => {
    const counters = await rightSchedules('mirror-attack', SEEDS);
    const met = [
      'version',
      'reconciled',
      'trimmed',
      'replays',
      'zombies',
      'crashes',
      'lost answers',
      'conflicts',
      'damaged',
    ];
    expect(rare(met, counters, SEEDS.count, 0.1)).toEqual([]);
  });
});
