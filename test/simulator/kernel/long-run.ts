import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startProgress } from '../../../packages/cli/shared/progress.ts';
import { ROOT } from '../planted/marks.ts';
import type { Mutant } from '../planted/mutant.ts';
import { keepFor } from './kept.ts';
import type { Short } from './pack.ts';
import { type PackName, packOf } from './packs.ts';
import { Runner } from './runner.ts';
import { addTally, emptyTally, type Tally } from './tally.ts';

/** Long runs of a pack in several processes, which are kept so that they can be gone on with. */

/** The settings of a run, how far it came and what it found. */
interface LongRun {
  pack: PackName;
  runs: number;
  seed: number;
  workers: number;
  mutant?: string | undefined;
  done: number;
  tally: Tally;
  /** Seconds that it has taken so far. */
  seconds: number;
}

/** Options of a run as they stand on the command line, for `parseArgs`. */
export const RUN_OPTIONS = {
  runs: { type: 'string', default: '10000' },
  seed: { type: 'string', default: '1' },
  workers: { type: 'string', default: '1' },
  mutant: { type: 'string' },
  pin: { type: 'boolean', default: false },
  resume: { type: 'boolean', default: false },
  exhaustive: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** The options as they are given. */
interface RunValues {
  runs: string;
  seed: string;
  workers: string;
  pin: boolean;
  resume: boolean;
  json: boolean;
}

/** Schedules that a process is given at once. */
const CHUNK = 100;
/** Schedules that are shortened and printed. */
const REPORTED = 3;

/** Runs what the options ask for, and sets the exit code: 1 where something failed or is left, 2 for options that make no sense. */
export async function runPack(
  pack: PackName,
  values: RunValues,
  mutant: Mutant | undefined,
  usage: string,
): Promise<void> {
  const run = values.resume ? keptRun(pack) : newRun(pack, values, mutant);
  if (run === undefined) {
    process.stderr.write(`${usage}\n`);
    process.exitCode = 2;
    return;
  }
  const runners = await Promise.all(Array.from({ length: run.workers }, () => Runner.start(mutant)));
  try {
    const isInterrupted = await runAll(run, runners);
    print(run, values.json);
    const command = `npm run simulate -- ${pack} --resume`;
    if (isInterrupted) process.stderr.write(`\n${run.runs - run.done} are left: ${command}\n`);
    else await report(run, runners[0]!, values.pin ? mutant : undefined);
    process.exitCode = run.tally.failed > 0 || isInterrupted ? 1 : 0;
  } finally {
    await Promise.all(runners.map((runner) => runner.stop()));
  }
}

/** Prints the first schedules that failed, and keeps one for a planted bug where asked. */
async function report({ pack, tally }: LongRun, runner: Runner, keptBug: Mutant | undefined): Promise<void> {
  const { shorten } = await packOf(pack);
  for (const [i, { seed, failures }] of tally.seeds.slice(0, REPORTED).entries()) {
    const short = shorten === undefined ? undefined : await runner.shorten(pack, seed);
    process.stderr.write(`\n${reportText(pack, seed, short ?? { failures })}\n`);
    if (i === 0 && short !== undefined && keptBug !== undefined) keepFor(pack, keptBug.name, short.kept);
  }
}

/** A schedule that fails as text: the seed, how to run it again, what is left of it and how it goes. */
export function reportText(
  pack: PackName,
  seed: number,
  { left = [], trace = [], failures }: Partial<Short> & Pick<Short, 'failures'>,
): string {
  return [
    `The schedule of seed ${seed} fails (npm run simulate -- ${pack} --seed ${seed} --runs 1). ${left.length > 0 ? 'What is left of it:' : ''}`,
    ...left,
    ...trace,
    ...failures.map(({ kind, message }) => `${kind}: ${message}`),
  ].join('\n');
}

function newRun(pack: PackName, values: RunValues, mutant: Mutant | undefined): LongRun | undefined {
  const [runs, seed, workers] = [Number(values.runs), Number(values.seed), Number(values.workers)];
  if (![runs, seed, workers].every((number) => Number.isSafeInteger(number) && number >= 0) || workers === 0) {
    return undefined;
  }
  return { pack, runs, seed, workers, mutant: mutant?.name, done: 0, tally: emptyTally(), seconds: 0 };
}

function pathOf(pack: PackName): string {
  return join(ROOT, `.cache/simulate-${pack}.json`);
}

function keptRun(pack: PackName): LongRun {
  // The file is this program's own.
  return JSON.parse(readFileSync(pathOf(pack), 'utf8')) as LongRun;
}

/** Runs what is left, keeping after each round how far it came; true where Ctrl-C ended it. */
async function runAll(run: LongRun, runners: readonly Runner[]): Promise<boolean> {
  const { pack, seed } = run;
  let isInterrupted = false;
  process.once('SIGINT', () => {
    isInterrupted = true;
  });
  const progress = startProgress('schedules', run.runs);
  while (run.done < run.runs && !isInterrupted) {
    const startMs = Date.now();
    const inRound = runners.map(() => 0);
    const tallies = await Promise.all(
      runners.map((runner, i) => {
        const offset = run.done + i * CHUNK;
        const seeds = { pack, first: seed + offset, count: Math.max(0, Math.min(CHUNK, run.runs - offset)) };
        return runner.runSeeds(seeds, (done) => {
          inRound[i] = done;
          progress.update(run.done + inRound.reduce((sum, number) => sum + number, 0));
        });
      }),
    );
    for (const tally of tallies) addTally(run.tally, tally);
    run.done = Math.min(run.runs, run.done + runners.length * CHUNK);
    run.seconds += (Date.now() - startMs) / 1000;
    progress.update(run.done);
    mkdirSync(dirname(pathOf(pack)), { recursive: true });
    writeFileSync(pathOf(pack), JSON.stringify(run));
  }
  progress.stop();
  return isInterrupted && run.done < run.runs;
}

function print({ tally, seed, mutant, seconds, done }: LongRun, isJson: boolean): void {
  const perSecond = Math.round(done / seconds);
  if (isJson) {
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
