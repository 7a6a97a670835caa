import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { walkScopes } from './exhaustive/program.ts';
import { RUN_OPTIONS, runProgram } from './long-run.ts';
import { PLANTED } from './planted/all.ts';
import { EXPERIMENTS } from './planted/experiments.ts';
import type { Mutant } from './planted/mutant.ts';
import { MUTANTS } from './planted/mutants.ts';
import { pinnedFile } from './planted/pinned.ts';
import { reportText } from './report.ts';

/** Long runs of the schedule simulator, `npm run simulate -- projecting`. */

const USAGE = `Usage: npm run simulate -- projecting [--runs N] [--seed S] [--workers N] [--copies] [--mutant NAME [--pin]]
                          [--json]
       npm run simulate -- projecting --resume
       npm run simulate -- projecting --exhaustive SCOPE|all [--mutant NAME]

Runs N schedules (default 10,000), of the seeds S (default 1), S + 1, ... A schedule that fails is shortened and printed,
and the exit code is 1. --copies leaves out the models without copies, about half. --resume goes on with the run that was
interrupted last. --mutant plants a bug first, so that failures are what is wanted; --pin keeps the first of them,
shortened, as a schedule of the tests. --exhaustive runs every schedule of a small scope; of all scopes it writes SCOPES.md.`;

/** Failures that are shortened and printed. */
const REPORTED = 3;

const { values } = parseArgs({
  options: {
    ...RUN_OPTIONS,
    copies: { type: 'boolean', default: false },
    pin: { type: 'boolean', default: false },
    exhaustive: { type: 'string' },
  },
});

const ALL_MUTANTS = [...MUTANTS, ...EXPERIMENTS];

if (values.exhaustive === undefined) await runSchedules();
else await walkScopes(values.exhaustive, plantedOf(values.mutant));

function plantedOf(name: string | undefined): Mutant | undefined {
  const mutant = PLANTED.find((planted) => planted.mutant.name === name)?.mutant;
  if (name !== undefined && mutant === undefined) throw new Error(`There is no planted bug ${name}.`);
  return mutant;
}

async function runSchedules(): Promise<void> {
  await runProgram(
    {
      usage: USAGE,
      command: 'npm run simulate -- projecting',
      file: 'simulate.json',
      mutants: ALL_MUTANTS,
      copiesOnly: values.copies,
      chunk: 1_000,
      /** Shortens and prints the first failures, and keeps one where asked. */
      report: async (run, runner, mutant) => {
        for (const [i, { seed }] of run.tally.seeds.slice(0, REPORTED).entries()) {
          const shrunk = await runner.shrink(seed);
          process.stderr.write(`\n${reportText(seed, shrunk)}\n`);
          if (i > 0 || !values.pin || mutant === undefined) continue;
          writeFileSync(pinnedFile(mutant.name), `${JSON.stringify({ seed, script: shrunk.script }, undefined, 2)}\n`);
        }
      },
    },
    values,
  );
}
