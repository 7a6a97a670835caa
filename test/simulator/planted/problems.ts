import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MATRIX_MUTANTS } from '../../matrix/bugs.ts';
import { KEPT_IN, keptNames } from '../kernel/kept.ts';
import { HIDDEN, OBSERVER_EXPERIMENTS } from '../packs/observer/planted.ts';
import { PLANTED } from './all.ts';
import { plantedFiles } from './changes.ts';
import { type PlantedBug, programOf } from './compiled.ts';
import { type Mark, marks, ROOT } from './marks.ts';
import type { Mutant } from './mutant.ts';
import { SHOWN_AT } from './shown.ts';

/** Finds problems of planted bugs, marks and kept schedules without running a schedule. */

/** Returns the planted bugs that apply, with their changed files, and a sentence for each problem. */
export function applied(
  bugs: readonly Mutant[],
  all: ReadonlyMap<string, Mark> = marks(),
): { planted: PlantedBug[]; problems: string[] } {
  const planted: PlantedBug[] = [];
  const problems: string[] = [];
  const texts = new Map([...all.values()].map(({ file, text }) => [file, text]));
  for (const mutant of bugs) {
    try {
      const files = plantedFiles(mutant.changes, all);
      planted.push({ mutant, files });
      for (const [file, text] of files) {
        const own = texts.get(file) ?? readFileSync(join(ROOT, file), 'utf8');
        if (programOf(own) === programOf(text))
          problems.push(`${file}: the planted bug ${mutant.name} leaves the program as it is. Change the bug.`);
      }
    } catch (error) {
      problems.push(
        `${listOf(mutant.name)}: the planted bug ${mutant.name} does not apply: ${(error as Error).message} ` +
          'Put the mark above the code that keeps the rule now, or change the bug.',
      );
    }
  }
  return { planted, problems };
}

/** Reports marks that no bug uses. */
export function marksWithoutBug(bugs: readonly Mutant[], all: ReadonlyMap<string, Mark> = marks()): string[] {
  const used = new Set(bugs.flatMap(({ changes }) => changes.flatMap((change) => change.marks)));
  return [...all.values()]
    .filter(({ name }) => !used.has(name))
    .map(
      ({ name, file }) =>
        `${file}: no planted bug breaks the rule ${name}. Plant one (test/simulator/planted/README.md), or take the mark away.`,
    );
}

/** Reports names that several bugs share. */
export function namesTwice(bugs: readonly Mutant[]): string[] {
  const names = bugs.map(({ name }) => name);
  return names
    .filter((name, i) => names.indexOf(name) !== i)
    .map((name) => `Two planted bugs have the name ${name}. Give one of them another.`);
}

/** Reports kept schedules whose file isn't named after a bug. */
export function keptForNoBug(bugs: readonly Mutant[]): string[] {
  const names = new Set(bugs.map(({ name }) => name));
  return Object.values(KEPT_IN).flatMap((folder) =>
    keptNames(folder)
      .filter((name) => !names.has(name))
      .map(
        (name) => `${folder}/${name}.json: no planted bug has this name. Give the file the bug's name, or delete it.`,
      ),
  );
}

/** Reports seeds that are kept for a name that no bug has. */
function seedsForNoBug(bugs: readonly Mutant[]): string[] {
  const names = new Set(bugs.map(({ name }) => name));
  return Object.entries(SHOWN_AT).flatMap(([world, seeds]) =>
    Object.keys(seeds)
      .filter((name) => !names.has(name))
      .map(
        (name) => `shown-at.json keeps a seed of ${world} for ${name}, and there is no such planted bug. Delete it.`,
      ),
  );
}

/** Reports bugs of the observer that nothing finds and `HIDDEN` doesn't explain, and explanations without such a bug. */
function unexplained(): string[] {
  const hidden = OBSERVER_EXPERIMENTS.map(({ name }) => name);
  return [
    ...hidden
      .filter((name) => !Object.hasOwn(HIDDEN, name))
      .map(
        (name) =>
          `The planted bug ${name} is found by nothing. Name it among those that are found, or say why in HIDDEN.`,
      ),
    ...Object.keys(HIDDEN)
      .filter((name) => !hidden.includes(name))
      .map(
        (name) =>
          `HIDDEN says why nothing finds the planted bug ${name}: it is found, or there is none. Take the line away.`,
      ),
  ];
}

/** Returns the file that defines a bug, for the error message. */
function listOf(name: string): string {
  const files = ['test/simulator'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
  );
  const lists = (file: string): boolean => readFileSync(join(ROOT, file), 'utf8').includes(`name: '${name}',`);
  // The bugs of the matrix are listed by its columns, so a search for their names doesn't find them.
  return files.find((file) => file.endsWith('.ts') && lists(file)) ?? 'test/matrix/bugs.ts';
}

/** Returns the planted bugs of all simulators and of the matrix that apply, and all problems. */
export function allPlanted(): { planted: PlantedBug[]; problems: string[] } {
  const bugs = [...PLANTED.map(({ mutant }) => mutant), ...MATRIX_MUTANTS];
  const { planted, problems } = applied(bugs);
  return {
    planted,
    problems: [
      ...problems,
      ...marksWithoutBug(bugs),
      ...namesTwice(bugs),
      ...keptForNoBug(bugs),
      ...seedsForNoBug(bugs),
      ...unexplained(),
    ],
  };
}
