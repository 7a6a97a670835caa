import { availableParallelism } from 'node:os';
import pMap from 'p-map';
import { beforeAll, describe, expect, it } from 'vitest';
import { MUTANTS, type Mutant, WORKER_MUTANTS } from './simulator/mutants.ts';
import { loadPinned } from './simulator/pinned.ts';
import { Runner } from './simulator/runner.ts';
import { runScript } from './simulator/schedule.ts';

/**
 * A simulator that finds nothing has to be shown to be able to: each bug that is planted in the production code, a rule of
 * the protocol broken, has to be found. Frequent ones are found by schedules from the first seed on; of rare ones a
 * schedule is kept, found by a long run (`npm run simulate -- --mutant NAME --runs 300000 --pin`).
 */

/** Bugs without a kept schedule show in one of so many. */
const SWEEP = 5_000;

describe('planted bugs', () => {
  /** How many schedules failed, for each bug. */
  const found = new Map<string, number>();

  beforeAll(async () => {
    const concurrency = Math.min(4, availableParallelism());
    await pMap(MUTANTS, async (mutant) => found.set(mutant.name, await failuresOf(mutant)), { concurrency });
  });

  it.each(MUTANTS)('$name is found: $rule', ({ name }) => {
    expect(found.get(name)).toBeGreaterThan(0);
  });

  it.each(WORKER_MUTANTS)('$name is found: $rule', async (mutant) => {
    expect(await worker(undefined)).toEqual([]);
    expect(await worker(mutant)).not.toEqual([]);
  });
});

describe('the schedules kept for planted bugs', () => {
  it.each(MUTANTS.filter(({ name }) => loadPinned(name) !== undefined))(
    '$name: the real code passes',
    async ({ name }) => {
      const { failures } = await runScript(loadPinned(name)!.script);
      expect(failures).toEqual([]);
    },
  );
});

async function failuresOf(mutant: Mutant): Promise<number> {
  const runner = new Runner(mutant);
  try {
    const pinned = loadPinned(mutant.name);
    if (pinned !== undefined) return (await runner.runScript(pinned.script)).length;
    return (await runner.runSeeds({ first: 1, count: SWEEP, mostFailures: 1 })).failed;
  } finally {
    runner.stop();
  }
}

async function worker(mutant: Mutant | undefined): Promise<string[]> {
  const runner = new Runner(mutant);
  try {
    return await runner.interruptWorker();
  } finally {
    runner.stop();
  }
}
