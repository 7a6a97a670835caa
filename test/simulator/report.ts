import type { Script } from './choices.ts';
import { type Outcome, runScript, runSeed } from './schedule.ts';
import { type RunScript, shrink } from './shrink.ts';
import type { Failure } from './world.ts';

/** A failing schedule, made as short as it can be, for people. */
export interface ShrunkReport {
  script: Script;
  failures: readonly Failure[];
  /** What happens in it, line by line. */
  trace: string[];
}

/** How schedules are run, by their seeds and by their scripts. */
export interface Runs {
  run: (seed: number, isRecording: boolean) => Promise<Outcome>;
  replay: RunScript;
}

const PROJECTOR: Runs = { run: runSeed, replay: runScript };

/** Shrinks the schedule of a seed that fails. Throws where it does not: then something is not decided by the seed. */
export async function shrunkReport(seed: number, { run, replay }: Runs = PROJECTOR): Promise<ShrunkReport> {
  const { script } = await run(seed, true);
  const shrunk = await shrink(script, replay);
  if (shrunk === undefined) throw new Error(`The schedule of seed ${seed} does not fail when it is run again.`);
  const trace: string[] = [];
  await replay(shrunk.script, (line) => trace.push(line));
  return { script: shrunk.script, failures: shrunk.outcome.failures, trace };
}

/** A report as text: the seed, how to run it again, the schedule and what happens in it. */
export function reportText(seed: number, { script, failures, trace }: ShrunkReport): string {
  return [
    `The schedule of seed ${seed} fails (--seed ${seed} --runs 1). Shortened:`,
    JSON.stringify(script, undefined, 2),
    ...trace,
    ...failures.map(({ kind, message }) => `${kind}: ${message}`),
  ].join('\n');
}
