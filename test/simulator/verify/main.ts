import { parseArgs } from 'node:util';
import { RUN_OPTIONS, runProgram } from '../long-run.ts';
import { OBSERVER_EXPERIMENTS, OBSERVER_MUTANTS, VERIFY_MUTANTS, WRITTEN_MUTANTS } from '../observer/planted.ts';

/** Long runs of the attack on the observer, `npm run simulate -- verify`. */

const USAGE = `Usage: npm run simulate -- verify [--runs N] [--seed S] [--workers N] [--mutant NAME] [--json]
       npm run simulate -- verify --resume

Runs N schedules of the attack on the observer (default 10,000), of the seeds S (default 1), S + 1, ... The first failures are printed,
and the exit code is 1. --resume goes on with the run that was interrupted last. --mutant plants a bug first, so that failures are what
is wanted.`;

/** Failures that are printed. */
const REPORTED = 10;

const { values } = parseArgs({ options: RUN_OPTIONS });

await runProgram(
  {
    usage: USAGE,
    command: 'npm run simulate -- verify',
    file: 'simulate-verify.json',
    mutants: [...VERIFY_MUTANTS, ...OBSERVER_MUTANTS, ...WRITTEN_MUTANTS, ...OBSERVER_EXPERIMENTS],
    world: 'verify',
    chunk: 100,
    report: async ({ tally }) => {
      for (const { seed, failures } of tally.seeds.slice(0, REPORTED)) {
        for (const { kind, message } of failures) process.stderr.write(`${seed}: ${kind}: ${message}\n`);
      }
    },
  },
  values,
);
