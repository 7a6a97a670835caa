import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { RUN_OPTIONS, runProgram } from '../long-run.ts';
import { pinnedFile } from '../planted/pinned.ts';
import { reportText } from '../report.ts';
import { OBSERVER_EXPERIMENTS, OBSERVER_MUTANTS, VERIFY_MUTANTS, WRITTEN_MUTANTS } from './planted.ts';

/** Long runs of schedules of the observer, `npm run simulate -- observer`. */

const USAGE = `Usage: npm run simulate -- observer [--runs N] [--seed S] [--workers N] [--mutant NAME [--pin]]
                                   [--json]
       npm run simulate -- observer --resume

Runs N schedules of the observer (default 10,000), of the seeds S (default 1), S + 1, ... A schedule that fails is shortened and
printed, and the exit code is 1. --resume goes on with the run that was interrupted last. --mutant plants a bug first, so that
failures are what is wanted; --pin keeps the first of them, shortened, as a schedule of the tests.`;

/** Failures that are shortened and printed. */
const REPORTED = 2;

const { values } = parseArgs({ options: { ...RUN_OPTIONS, pin: { type: 'boolean', default: false } } });

await runProgram(
  {
    usage: USAGE,
    command: 'npm run simulate -- observer',
    file: 'simulate-observer.json',
    mutants: [...OBSERVER_MUTANTS, ...VERIFY_MUTANTS, ...WRITTEN_MUTANTS, ...OBSERVER_EXPERIMENTS],
    world: 'observer',
    chunk: 50,
    report: async ({ tally }, runner, mutant) => {
      for (const [i, { seed }] of tally.seeds.slice(0, REPORTED).entries()) {
        const shrunk = await runner.shrink(seed, 'observer');
        process.stderr.write(`\n${reportText(seed, shrunk)}\n`);
        if (i > 0 || !values.pin || mutant === undefined) continue;
        const file = pinnedFile(mutant.name, 'observer');
        writeFileSync(file, `${JSON.stringify({ seed, script: shrunk.script }, undefined, 2)}\n`);
      }
    },
  },
  values,
);
