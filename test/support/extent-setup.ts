import { execFileSync } from 'node:child_process';
import { createHash, randomInt } from 'node:crypto';
import type { TestProject } from 'vitest/node';

/**
 * Gives the seed of a run: it chooses the planted bugs and cells of a part, and the cases that properties draw. The files of the commit
 * decide it, so a run elsewhere draws the same, and each commit draws others. EDGELOOM_TESTS_SEED repeats the run of a seed.
 */
export default function setup(project: TestProject): void {
  const given = process.env['EDGELOOM_TESTS_SEED'];
  const seed = given === undefined ? seedOfCommit() : Number(given);
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw new Error(`EDGELOOM_TESTS_SEED has to be a whole number: ${given}`);
  if (given === undefined) {
    // The other projects of this run take it, too.
    process.env['EDGELOOM_TESTS_SEED'] = String(seed);
    console.log(`EDGELOOM_TESTS_SEED=${seed} repeats what this run draws.`);
  }
  project.provide('seed', seed);
}

/** A number from 0 to 999 by the files of the commit; outside of a repository by chance. */
function seedOfCommit(): number {
  try {
    const tree = execFileSync('git', ['rev-parse', 'HEAD^{tree}'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return createHash('sha256').update(tree.trim()).digest().readUInt32BE() % 1_000;
  } catch {
    return randomInt(1_000);
  }
}
