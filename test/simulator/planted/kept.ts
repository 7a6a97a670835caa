import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EVOLUTION_MUTANTS } from '../evolution/planted.ts';
import type { KeptEvolution } from '../evolution/shrink.ts';
import { OBSERVER_MUTANTS } from '../observer/planted.ts';
import type { SeedOutcome } from '../tally.ts';
import { ROOT } from './marks.ts';
import type { Mutant } from './mutant.ts';
import { MUTANTS } from './mutants.ts';
import type { Pinned } from './pinned.ts';
import { SHOWN_BY } from './shown.ts';

/** The schedules that are kept for planted bugs, of all simulators, and how each is played. */

/** Schedules of model changes come to rest within a few thousand events; those that a bug keeps from it go on to the last. */
const MOST_EVENTS = 6_000;

/** The schedules that are kept for the bugs of a simulator. */
export interface KeptSchedules {
  simulator: string;
  /** The npm script that finds and keeps one, with its pack. */
  command: string;
  /** Where the files are, from the repository's root; a file has the name of its bug. */
  folder: string;
  mutants: readonly Mutant[];
  /** How a schedule fails that shows its bug. */
  shownBy: readonly string[];
  /** The program that plays them, from the repository's root. */
  program: string;
  /** Plays the schedule of a file by what the loaded program exports. */
  play: (program: unknown, file: string) => Promise<SeedOutcome>;
}

/** The kept schedules, by simulator. */
export const KEPT: readonly KeptSchedules[] = [
  {
    simulator: 'simulator',
    command: 'simulate -- projecting',
    folder: 'test/simulator/planted/pinned',
    mutants: MUTANTS,
    shownBy: SHOWN_BY.projector,
    program: 'test/simulator/schedule.ts',
    play: (program, file) => (program as typeof import('../schedule.ts')).runScript(kept<Pinned>(file).script),
  },
  {
    simulator: 'simulator of the observer',
    command: 'simulate -- observer',
    folder: 'test/simulator/observer/pinned',
    mutants: OBSERVER_MUTANTS,
    shownBy: SHOWN_BY.observer,
    program: 'test/simulator/observer/schedule.ts',
    play: (program, file) =>
      (program as typeof import('../observer/schedule.ts')).runObservedScript(kept<Pinned>(file).script),
  },
  {
    simulator: 'simulator of model changes',
    command: 'simulate -- evolution',
    folder: 'test/simulator/evolution/pinned',
    mutants: EVOLUTION_MUTANTS,
    // A kept schedule was looked at: that it does not come to rest is what the bug does.
    shownBy: [...SHOWN_BY.evolution, 'endless'],
    program: 'test/simulator/evolution/schedule.ts',
    play: (program, file) => {
      const { seed, without } = kept<KeptEvolution>(file);
      const { runEvolution } = program as typeof import('../evolution/schedule.ts');
      return runEvolution(seed, { without, mostEvents: MOST_EVENTS });
    },
  },
];

/** The names of the files of a folder, without their ending: each is a bug's. */
export function keptNames({ folder }: KeptSchedules): string[] {
  return readdirSync(join(ROOT, folder)).map((file) => file.replace(/\.json$/, ''));
}

/** The file of a bug, from the repository's root. */
export function keptFile({ folder }: KeptSchedules, name: string): string {
  return `${folder}/${name}.json`;
}

function kept<T>(file: string): T {
  return JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as T;
}
