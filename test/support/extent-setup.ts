import { randomInt } from 'node:crypto';
import type { TestProject } from 'vitest/node';

/** Draws the seed of a run that runs a tenth of the planted bugs; EDGELOOM_TESTS_SEED repeats the run of a seed. */
export default function setup(project: TestProject): void {
  const given = process.env['EDGELOOM_TESTS_SEED'];
  const seed = given === undefined ? randomInt(1_000) : Number(given);
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw new Error(`EDGELOOM_TESTS_SEED has to be a whole number: ${given}`);
  if (process.env['EDGELOOM_TESTS'] === undefined) {
    console.log(`A tenth of the planted bugs runs; EDGELOOM_TESTS_SEED=${seed} repeats the choice.`);
  }
  project.provide('seed', seed);
}
