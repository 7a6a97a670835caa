import { parseArgs } from 'node:util';
import { RUN_OPTIONS, runProgram } from '../long-run.ts';
import { pinEvolution } from './pinned.ts';
import { EVOLUTION_MUTANTS } from './planted.ts';
import { textOfShort } from './shrink.ts';

/** Long runs of schedules in which the model changes, `npm run simulate -- evolution`. */

const USAGE = `Usage: npm run simulate -- evolution [--runs N] [--seed S] [--workers N] [--mutant NAME [--pin]] [--json]
       npm run simulate -- evolution --resume

Runs N schedules of model changes (default 10,000), of the seeds S (default 1), S + 1, ... A schedule that fails is shortened and
printed, and the exit code is 1. --resume goes on with the run that was interrupted last. --mutant plants a bug first, so that
failures are what is wanted; --pin keeps the first of them, shortened, as a schedule of the tests.`;

/** Failures that are shortened and printed. */
const REPORTED = 3;

const { values } = parseArgs({ options: { ...RUN_OPTIONS, pin: { type: 'boolean', default: false } } });

await runProgram(
  {
    usage: USAGE,
    command: 'npm run simulate -- evolution',
    file: 'simulate-evolution.json',
    mutants: EVOLUTION_MUTANTS,
    world: 'evolution',
    chunk: 200,
    report: async ({ tally }, runner, mutant) => {
      for (const [i, { seed }] of tally.seeds.slice(0, REPORTED).entries()) {
        const short = await runner.shrinkEvolution(seed);
        process.stderr.write(`\n${textOfShort(short)}\n`);
        if (i === 0 && values.pin && mutant !== undefined) pinEvolution(mutant.name, short);
      }
    },
  },
  values,
);
