import { describe, expect, it } from 'vitest';
import { keptFor } from '../simulator/kernel/kept.ts';
import type { SeedFailure } from '../simulator/kernel/pack.ts';
import { Runner } from '../simulator/kernel/runner.ts';
import { DIRECTED_MUTANTS } from '../simulator/planted/directed.ts';
import type { Mutant } from '../simulator/planted/mutant.ts';
import { MUTANTS } from '../simulator/planted/mutants.ts';
import { WORKER_MUTANTS } from '../simulator/planted/worker.ts';
import { isPart, plantedBugs } from '../support/extent.ts';
import { isFound, type Search } from '../support/shown.ts';

/**
 * A simulator that finds nothing has to be shown to be able to: each bug that is planted in the production code, a rule of
 * the protocol broken, has to be found. Frequent ones are found by schedules from the first seed on; of rare ones a
 * schedule is kept, found by a long run (`npm run simulate -- projecting --mutant NAME --runs 300000 --pin`): see
 * `test/unit/kept-schedules.test.ts`.
 */

const SEARCH: Search = { pack: 'projecting', schedules: 1_500 };

/** Those of which no schedule is kept. */
const DRAWN = MUTANTS.filter(({ name }) => keptFor('projecting', name) === undefined);

describe('planted bugs', () => {
  it.skipIf(isPart).each(plantedBugs(DRAWN))('$name is found: $rule', async (mutant) => {
    expect(await isFound(mutant, SEARCH)).toBe(true);
  });

  it.skipIf(isPart).each(plantedBugs(WORKER_MUTANTS))('$name is found: $rule', async (mutant) => {
    expect(await interruptedWorker(undefined)).toEqual([]);
    expect(await interruptedWorker(mutant)).not.toEqual([]);
  });
});

describe('bugs planted for schedules that are written down', () => {
  it('are not there: the real code passes', async () => {
    expect(await directed(undefined)).toEqual([]);
  });

  it.skipIf(isPart).each(plantedBugs(DIRECTED_MUTANTS))('$name is found: $rule', async (mutant) => {
    expect(await directed(mutant)).not.toEqual([]);
  });
});

async function directed(mutant: Mutant | undefined): Promise<readonly SeedFailure[]> {
  return await (await Runner.load(mutant)).playWritten('projecting');
}

async function interruptedWorker(mutant: Mutant | undefined): Promise<readonly SeedFailure[]> {
  return await (await Runner.load(mutant)).playWritten('projecting', 'worker');
}
