import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startProgress } from '../../src/cli/session/progress.ts';
import { EXPERIMENTS } from './planted/experiments.ts';
import type { Mutant } from './planted/mutant.ts';
import { MUTANTS } from './planted/mutants.ts';
import { pinnedFile } from './planted/pinned.ts';
import { reportText } from './report.ts';
import { Runner } from './runner.ts';
import { addTally, emptyTally, type Tally } from './tally.ts';

/** Long runs of the schedule simulator, `npm run simulate`. */

const USAGE = `Usage: npm run simulate -- [--runs N] [--seed S] [--workers N] [--copies] [--mutant NAME [--pin]]
                          [--json]
       npm run simulate -- --resume

Runs N schedules (default 10,000), of the seeds S (default 1), S + 1, ... A schedule that fails is shortened and printed,
and the exit code is 1. --copies leaves out the models without copies, about half. --resume goes on with the run that was
interrupted last. --mutant plants a bug first, so that failures are what is wanted; --pin keeps the first of them,
shortened, as a schedule of the tests.`;

/** The settings of a run, how far it came and what it found. */
interface Run {
  runs: number;
  seed: number;
  workers: number;
  mutant?: string;
  copiesOnly: boolean;
  done: number;
  tally: Tally;
}

const RUN_FILE = fileURLToPath(new URL('../../.cache/simulate.json', import.meta.url));
/** Schedules that a process is given at once. */
const CHUNK = 1_000;
/** Failures that are shortened and printed. */
const REPORTED = 3;

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    workers: { type: 'string', default: '1' },
    mutant: { type: 'string' },
    copies: { type: 'boolean', default: false },
    resume: { type: 'boolean', default: false },
    pin: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (options.help) process.stdout.write(`${USAGE}\n`);
else await main();

async function main(): Promise<void> {
  const run = options.resume ? resumedRun() : newRun();
  const mutant = run && plantedBug(run.mutant);
  if (run === undefined || (run.mutant !== undefined && mutant === undefined)) {
    process.stderr.write(
      `${USAGE}\n\nPlanted bugs: ${[...MUTANTS, ...EXPERIMENTS].map(({ name }) => name).join(', ')}\n`,
    );
    process.exitCode = 2;
    return;
  }
  const runners = Array.from({ length: run.workers }, () => new Runner(mutant));
  try {
    const doneBefore = run.done;
    const startMs = Date.now();
    const isInterrupted = await runAll(run, runners);
    const seconds = (Date.now() - startMs) / 1000;
    print(run, seconds, Math.round((run.done - doneBefore) / seconds));
    if (isInterrupted) process.stderr.write(`\n${run.runs - run.done} are left: npm run simulate -- --resume\n`);
    else await report(run, runners[0]!, mutant);
    process.exitCode = run.tally.failed > 0 || isInterrupted ? 1 : 0;
  } finally {
    for (const runner of runners) runner.stop();
  }
}

function newRun(): Run | undefined {
  const [runs, seed, workers] = [Number(options.runs), Number(options.seed), Number(options.workers)];
  if (![runs, seed, workers].every((number) => Number.isSafeInteger(number) && number >= 0) || workers === 0) {
    return undefined;
  }
  const { mutant, copies: copiesOnly } = options;
  return { runs, seed, workers, mutant, copiesOnly, done: 0, tally: emptyTally() };
}

function resumedRun(): Run {
  // The file is this program's own.
  return JSON.parse(readFileSync(RUN_FILE, 'utf8')) as Run;
}

function plantedBug(name: string | undefined): Mutant | undefined {
  return [...MUTANTS, ...EXPERIMENTS].find((mutant) => mutant.name === name);
}

/** Runs what is left, keeping after each round how far it came; true where Ctrl-C ended it. */
async function runAll(run: Run, runners: readonly Runner[]): Promise<boolean> {
  let isInterrupted = false;
  process.once('SIGINT', () => {
    isInterrupted = true;
  });
  const progress = startProgress('schedules', run.runs);
  while (run.done < run.runs && !isInterrupted) {
    const inRound = runners.map(() => 0);
    const tallies = await Promise.all(
      runners.map((runner, i) => {
        const offset = run.done + i * CHUNK;
        const { seed, copiesOnly } = run;
        const seeds = { first: seed + offset, count: Math.max(0, Math.min(CHUNK, run.runs - offset)), copiesOnly };
        return runner.runSeeds(seeds, (done) => {
          inRound[i] = done;
          progress.update(run.done + inRound.reduce((sum, number) => sum + number, 0));
        });
      }),
    );
    for (const tally of tallies) addTally(run.tally, tally);
    run.done = Math.min(run.runs, run.done + runners.length * CHUNK);
    progress.update(run.done);
    mkdirSync(dirname(RUN_FILE), { recursive: true });
    writeFileSync(RUN_FILE, JSON.stringify(run));
  }
  progress.stop();
  return isInterrupted && run.done < run.runs;
}

/** Shortens and prints the first failures, and keeps one where asked. */
async function report(run: Run, runner: Runner, mutant: Mutant | undefined): Promise<void> {
  for (const [i, { seed }] of run.tally.seeds.slice(0, REPORTED).entries()) {
    const shrunk = await runner.shrink(seed);
    process.stderr.write(`\n${reportText(seed, shrunk)}\n`);
    if (i > 0 || !options.pin || mutant === undefined) continue;
    writeFileSync(pinnedFile(mutant.name), `${JSON.stringify({ seed, script: shrunk.script }, undefined, 2)}\n`);
  }
}

function print(run: Run, seconds: number, perSecond: number): void {
  const { tally, seed, mutant } = run;
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ seed, mutant, seconds, perSecond, ...tally }, undefined, 2)}\n`);
    return;
  }
  const counts = Object.entries(tally.counters).sort(([left], [right]) => (left < right ? -1 : 1));
  const lines = [
    `${tally.schedules.toLocaleString('en-US')} schedules from seed ${seed} on, ${perSecond} a second: ${tally.failed} failed`,
    ...Object.entries(tally.byKind).map(([kind, count]) => `  ${kind}: ${count}`),
    ...counts.map(([what, count]) => `  ${count.toLocaleString('en-US').padStart(12)} ${what}`),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}
