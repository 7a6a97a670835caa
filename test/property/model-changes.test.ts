import { describe, expect, it } from 'vitest';
import { FOUND_FAULTS } from '../schedules/evolution/mutants.ts';
import { runEvolution } from '../schedules/evolution/schedule.ts';
import { runSchedules } from '../schedules/run.ts';
import { plantedBugs, runs } from '../support/extent.ts';

/** Fifty take about ten seconds of one CPU; `npm run schedules -- evolution --runs 100000` runs more of them. */
const RUNS = runs({ part: 20, whole: 50 });

/** What schedules have to be full of, or passing them says nothing. */
const HAPPENS = ['answered', 'refused: projection-not-ready', 'quiet', 'redelivered', 'given up', 'migrate crashed'];

describe('models that change beside consumers, producers, readers and tools of three models', () => {
  const tally = new Map<string, number>();

  it('give each reader the right answer or an error, and leave what the oracle says', async () => {
    const failures: string[] = [];
    for (let seed = 1; seed <= RUNS; seed++) {
      const found = await runEvolution(seed, {
        report: (world) => {
          for (const [name, times] of world.tally) tally.set(name, (tally.get(name) ?? 0) + times);
        },
      });
      failures.push(...found.map((text) => `seed ${seed}: ${text}`));
    }
    expect(failures).toEqual([]);
  }, 900_000);

  it.each(HAPPENS)('have met: %s', (name) => {
    expect(tally.get(name)).toBeGreaterThan(RUNS / 20);
  });

  it.each(plantedBugs(FOUND_FAULTS.map(({ mutant, seed }) => ({ ...mutant, seed }))))(
    'show a fault that they once found: $rule',
    async ({ seed, ...mutant }) => {
      const { failed } = await runSchedules('evolution', 1, mutant, seed);
      expect(failed).toBe(1);
    },
    900_000,
  );
});
