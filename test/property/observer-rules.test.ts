import { describe, expect, it } from 'vitest';
import { Runner } from '../simulator/kernel/runner.ts';
import { WRITTEN } from '../simulator/packs/observer/directed.ts';
import { HIDDEN, OBSERVER_EXPERIMENTS, WRITTEN_MUTANTS } from '../simulator/packs/observer/planted.ts';
import { isPart, plantedBugs } from '../support/extent.ts';

/**
 * Schedules of the observer that are written down: for each rule that no drawn schedule shows the need of, one in which a promise is broken
 * without it. They judge what the observer promises, and nothing of how it keeps that.
 */

const written = Object.values(WRITTEN);

describe('the written schedules of the observer', () => {
  it.each(Object.entries(WRITTEN))('break no promise: %s', async (_name, { play }) => {
    expect(await play()).toEqual([]);
  });

  it('belong to planted bugs, one to each', () => {
    expect(written.map(({ bug }) => bug).sort()).toEqual(WRITTEN_MUTANTS.map(({ name }) => name).sort());
  });
});

describe('bugs planted in rules of the observer that only written schedules show', () => {
  // A tenth of few bugs may be none of them.
  it('are some', () => {
    expect(WRITTEN_MUTANTS.length).toBeGreaterThan(10);
  });

  it.skipIf(isPart).each(plantedBugs(WRITTEN_MUTANTS))('$name is found: $rule', async (mutant) => {
    const runner = await Runner.load(mutant);
    const kinds = (await runner.playWritten('observer', mutant.name)).map(({ kind }) => kind);
    expect(kinds).toContain(written.find(({ bug }) => bug === mutant.name)?.shows);
  });
});

describe('bugs planted in the observer that no schedule finds', () => {
  it('have a reason each', () => {
    expect(OBSERVER_EXPERIMENTS.map(({ name }) => name).sort()).toEqual(Object.keys(HIDDEN).sort());
  });
});
