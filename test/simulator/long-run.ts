import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProgress } from '../../src/cli/shared/progress.ts';
import type { Mutant } from './planted/mutant.ts';
import { Runner } from './runner.ts';
import { addTally, emptyTally, type SeedRange, type Tally } from './tally.ts';

/** Long runs of a simulator in several processes, which are kept so that they can be gone on with. */

/** The settings of a run, how far it came and what it found. */
export interface LongRun extends Pick<SeedRange, 'copiesOnly' | 'world'> {
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
  resume: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** What those options come to. */
export interface RunValues {
  runs: string;
  seed: string;
  workers: string;
  mutant?: string | undefined;
  resume: boolean;
  json: boolean;
  help: boolean;
}

/** What a program runs. */
export interface Program extends Pick<SeedRange, 'copiesOnly' | 'world'> {
  usage: string;
  /** How it is called, for hints. */
  command: string;
  /** Where a run is kept, from `.cache` on. */
  file: string;
  mutants: readonly Mutant[];
  /** Schedules that a process is given at once. */
  chunk: number;
  /** Says of a run that is at its end what failed. */
  report: (run: LongRun, runner: Runner, mutant: Mutant | undefined) => Promise<void>;
}

/** Runs what the options ask for, and sets the exit code: 1 where something failed or is left, 2 for options that make no sense. */
export async function runProgram(program: Program, values: RunValues): Promise<void> {
  const { usage, command, mutants } = program;
  if (values.help) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  const run = values.resume ? keptRun(program) : newRun(program, values);
  const mutant = mutants.find(({ name }) => name === run?.mutant);
  if (run === undefined || (run.mutant !== undefined && mutant === undefined)) {
    process.stderr.write(`${usage}\n\nPlanted bugs: ${mutants.map(({ name }) => name).join(', ')}\n`);
    process.exitCode = 2;
    return;
  }
  const runners = await Promise.all(Array.from({ length: run.workers }, () => Runner.start(mutant)));
  try {
    const isInterrupted = await runAll(program, run, runners);
    print(run, values.json);
    if (isInterrupted) process.stderr.write(`\n${run.runs - run.done} are left: ${command} --resume\n`);
    else await program.report(run, runners[0]!, mutant);
    process.exitCode = run.tally.failed > 0 || isInterrupted ? 1 : 0;
  } finally {
    await Promise.all(runners.map((runner) => runner.stop()));
  }
}

function newRun({ copiesOnly, world }: Program, { mutant, ...values }: RunValues): LongRun | undefined {
  const [runs, seed, workers] = [Number(values.runs), Number(values.seed), Number(values.workers)];
  if (![runs, seed, workers].every((number) => Number.isSafeInteger(number) && number >= 0) || workers === 0) {
    return undefined;
  }
  return { runs, seed, workers, mutant, copiesOnly, world, done: 0, tally: emptyTally(), seconds: 0 };
}

function pathOf({ file }: Program): string {
  return fileURLToPath(new URL(`../../.cache/${file}`, import.meta.url));
}

function keptRun(program: Program): LongRun {
  // The file is this program's own.
  return JSON.parse(readFileSync(pathOf(program), 'utf8')) as LongRun;
}

/** Runs what is left, keeping after each round how far it came; true where Ctrl-C ended it. */
async function runAll(program: Program, run: LongRun, runners: readonly Runner[]): Promise<boolean> {
  const { chunk } = program;
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
        const offset = run.done + i * chunk;
        const { seed, copiesOnly, world } = run;
        const seeds = {
          first: seed + offset,
          count: Math.max(0, Math.min(chunk, run.runs - offset)),
          copiesOnly,
          world,
        };
        return runner.runSeeds(seeds, (done) => {
          inRound[i] = done;
          progress.update(run.done + inRound.reduce((sum, number) => sum + number, 0));
        });
      }),
    );
    for (const tally of tallies) addTally(run.tally, tally);
    run.done = Math.min(run.runs, run.done + runners.length * chunk);
    run.seconds += (Date.now() - startMs) / 1000;
    progress.update(run.done);
    mkdirSync(dirname(pathOf(program)), { recursive: true });
    writeFileSync(pathOf(program), JSON.stringify(run));
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
