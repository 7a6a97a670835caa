import { describe, expect, it } from 'vitest';
import { WATCH_MUTANTS } from '../simulator/packs/watch/planted.ts';
import { plantedBugs, rare, seeds } from '../support/extent.ts';
import { rightSchedules } from '../support/right-schedules.ts';
import { isFound, type Search } from '../support/shown.ts';

/**
 * The promise of watching: a list that has taken all events is, at rest, what a read of it gives. The index lags, records repeat, the
 * process that reads the stream crashes, reads fail. Longer runs: `npm run simulate -- watch --runs N --seed S`.
 */

const SCHEDULES = seeds({ part: 40, whole: 1_000 });
const SEARCH: Search = { pack: 'watch', schedules: 2_000 };

/** What schedules have to be full of, or passing them says nothing. */
const HAPPENS = [
  'lists with rows',
  'watched: enter',
  'watched: leave',
  'watched: change',
  'feeds',
  'watchers that began anew',
];

describe('watched lists, under schedules of faults and lag', () => {
  it(`are right at rest in ${SCHEDULES.count} schedules, in which everything happens`, async () => {
    const counters = await rightSchedules('watch', SCHEDULES);
    expect(rare(HAPPENS, counters, SCHEDULES.count, 0.025)).toEqual([]);
  });
});

describe('bugs planted in watching', () => {
  // A tenth of few bugs may be none of them.
  it('are found', async () => {
    for (const mutant of plantedBugs(WATCH_MUTANTS))
      expect([mutant.name, await isFound(mutant, SEARCH)]).toEqual([mutant.name, true]);
  });
});
