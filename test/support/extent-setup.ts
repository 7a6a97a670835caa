import { execFileSync } from 'node:child_process';
import { createHash, randomInt } from 'node:crypto';
import type { TestProject } from 'vitest/node';

const DAY_SECONDS = 86_400;

/**
 * Gives the seed of a run: it chooses the planted bugs and cells of a part, and the cases that properties draw. The files of the commit
 * decide it, so a run elsewhere draws the same, and each commit draws others. EDGELOOM_TEST_SEED repeats the run of a seed.
 */
export default function setup(project: TestProject): void {
  const given = process.env['EDGELOOM_TEST_SEED'];
  const seed = given === undefined ? seedOfCommit() : Number(given);
  if (!Number.isSafeInteger(seed) || seed < 0) throw new Error(`EDGELOOM_TEST_SEED has to be a whole number: ${given}`);
  if (given === undefined) {
    // The other projects of this run take it, too.
    process.env['EDGELOOM_TEST_SEED'] = String(seed);
    console.log(`EDGELOOM_TEST_SEED=${seed} repeats what this run draws.`);
  }
  project.provide('seed', seed);
  project.provide('changedFiles', process.env['EDGELOOM_TEST_EXTENT'] === 'quarter' ? changedFiles() : []);
}

/** Files that differ from the main branch; on that branch from the last tag, or where there is none from a day ago. */
function changedFiles(): string[] {
  const head = git('rev-parse', 'HEAD');
  if (head === undefined) return [];
  const branched = git('merge-base', 'HEAD', 'origin/main');
  const aDayAgo = `${Number(git('log', '-1', '--format=%ct')) - DAY_SECONDS}`;
  const base =
    branched !== undefined && branched !== head
      ? branched
      : (git('describe', '--tags', '--abbrev=0', 'HEAD~1') ?? git('rev-list', '-1', `--before=${aDayAgo}`, 'HEAD'));
  const files = base ? (git('diff', '--name-only', base)?.split('\n') ?? []) : [];
  console.log(
    `${files.length} files differ from ${base?.slice(0, 8) || 'nothing'}; their planted bugs are run unless there are many.`,
  );
  return files;
}

/** Undefined where git fails. */
function git(...args: string[]): string | undefined {
  try {
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}

/** A number from 0 to 999 by the files of the commit; outside of a repository by chance. */
function seedOfCommit(): number {
  const tree = git('rev-parse', 'HEAD^{tree}');
  return tree === undefined ? randomInt(1_000) : createHash('sha256').update(tree).digest().readUInt32BE() % 1_000;
}
