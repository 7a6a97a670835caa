import { parseArgs } from 'node:util';
import { RUN_OPTIONS, runProgram } from '../long-run.ts';
import { reportText } from '../report.ts';
import { WATCH_MUTANTS } from './planted.ts';

/** Long runs of schedules of watched lists, `npm run simulate -- watch`. */

const USAGE = `Usage: npm run simulate -- watch [--runs N] [--seed S] [--workers N] [--mutant NAME] [--json]
       npm run simulate -- watch --resume

Runs N schedules of watched lists (default 10,000), of the seeds S (default 1), S + 1, ... A schedule that fails is shortened and
printed, and the exit code is 1. --resume goes on with the run that was interrupted last. --mutant plants a bug first, so that
failures are what is wanted.`;

/** Failures that are shortened and printed. */
const REPORTED = 2;

const { values } = parseArgs({ options: RUN_OPTIONS });

await runProgram(
  {
    usage: USAGE,
    command: 'npm run simulate -- watch',
    file: 'simulate-watch.json',
    mutants: WATCH_MUTANTS,
    world: 'watch',
    chunk: 100,
    report: async ({ tally }, runner) => {
      for (const { seed } of tally.seeds.slice(0, REPORTED)) {
        process.stderr.write(`\n${reportText(seed, await runner.shrink(seed, 'watch'))}\n`);
      }
    },
  },
  values,
);
