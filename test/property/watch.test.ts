import { describe, expect, it } from 'vitest';
import type { Mutant } from '../simulator/planted/mutant.ts';
import { reportText, shrunkReport } from '../simulator/report.ts';
import { Runner } from '../simulator/runner.ts';
import { emptyTally, runSeeds, type Tally } from '../simulator/tally.ts';
import { WATCH_MUTANTS } from '../simulator/watch/planted.ts';
import { runWatched, runWatchedScript } from '../simulator/watch/schedule.ts';
import { plantedBugs, runs } from '../support/extent.ts';

/**
 * The promise of watching: a list that has taken all events is, at rest, what a read of it gives. The index lags, records repeat, the
 * process that reads the stream crashes, reads fail. Longer runs: `npm run simulate:watch -- --runs N --seed S`.
 */

const SCHEDULES = runs({ part: 40, whole: 1_000 });
/** A planted bug shows in one of this many schedules. */
const SWEEP = 2_000;

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
  let tally: Tally = emptyTally();

  it(`are right at rest in ${SCHEDULES} schedules`, async () => {
    tally = await runSeeds({ first: 1, count: SCHEDULES, mostFailures: 1, world: 'watch' });
    const [failed] = tally.seeds;
    if (failed !== undefined) {
      const report = await shrunkReport(failed.seed, { run: runWatched, replay: runWatchedScript });
      expect.fail(reportText(failed.seed, report));
    }
    expect(tally.schedules).toBe(SCHEDULES);
  });

  it.each(HAPPENS)('have met in them: %s', (what) => {
    expect(tally.counters[what]).toBeGreaterThan(SCHEDULES / 40);
  });
});

describe('bugs planted in watching', () => {
  // A tenth of few bugs may be none of them.
  it('are found', async () => {
    for (const mutant of plantedBugs(WATCH_MUTANTS))
      expect([mutant.name, await isFound(mutant)]).toEqual([mutant.name, true]);
  });
});

async function isFound(mutant: Mutant): Promise<boolean> {
  const runner = await Runner.start(mutant);
  try {
    const { byKind } = await runner.runSeeds({ first: 1, count: SWEEP, mostFailures: 1, world: 'watch' });
    return byKind['diverged'] !== undefined;
  } finally {
    await runner.stop();
  }
}
