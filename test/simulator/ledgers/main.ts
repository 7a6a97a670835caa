import { parseArgs } from 'node:util';
import { RUN_OPTIONS, runProgram } from '../long-run.ts';
import { LEDGER_MUTANTS } from './planted.ts';

/** Long runs of the attack on totals and parts, `npm run simulate -- ledgers`. */

const USAGE = `Usage: npm run simulate -- ledgers [--runs N] [--seed S] [--workers N] [--mutant NAME] [--json]
       npm run simulate -- ledgers --resume

Runs N schedules of totals and parts (default 10,000), of the seeds S (default 1), S + 1, ... The first failures are printed, and
the exit code is 1. --resume goes on with the run that was interrupted last. --mutant plants a bug first, so that failures are what
is wanted.`;

/** Failures that are printed. */
const REPORTED = 10;

const { values } = parseArgs({ options: RUN_OPTIONS });

await runProgram(
  {
    usage: USAGE,
    command: 'npm run simulate -- ledgers',
    file: 'simulate-ledgers.json',
    mutants: LEDGER_MUTANTS,
    world: 'ledgers',
    chunk: 100,
    report: async ({ tally }) => {
      for (const { seed, failures } of tally.seeds.slice(0, REPORTED)) {
        for (const { kind, message } of failures) process.stderr.write(`${seed}: ${kind}: ${message}\n`);
      }
    },
  },
  values,
);
