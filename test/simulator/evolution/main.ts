import { parseArgs } from 'node:util';
import { RUN_OPTIONS, runProgram } from '../long-run.ts';
import { EVOLUTION_MUTANTS } from './planted.ts';

/** Long runs of schedules in which the model changes, `npm run simulate:evolution`. */

const USAGE = `Usage: npm run simulate:evolution -- [--runs N] [--seed S] [--workers N] [--mutant NAME] [--json]
       npm run simulate:evolution -- --resume

Runs N schedules of model changes (default 10,000), of the seeds S (default 1), S + 1, ... What failed is printed with its
seed, which leads to it again, and the exit code is 1. --resume goes on with the run that was interrupted last. --mutant plants a
bug first, so that failures are what is wanted.`;

const { values } = parseArgs({ options: RUN_OPTIONS });

await runProgram(
  {
    usage: USAGE,
    command: 'npm run simulate:evolution',
    file: 'simulate-evolution.json',
    mutants: EVOLUTION_MUTANTS,
    world: 'evolution',
    chunk: 200,
    report: async ({ tally }) => {
      for (const { seed, failures } of tally.seeds) {
        for (const { kind, message } of failures) process.stderr.write(`seed ${seed}, ${kind}: ${message}\n`);
      }
    },
  },
  values,
);
