import { createHash } from 'node:crypto';
import { inject } from 'vitest';
import { type Change, filesOf } from '../simulator/planted/changes.ts';
import type { Size } from './sizes.ts';

/**
 * How much a run of the tests does. `npm test` does a part: the first schedules (`sizes.ts`), and no
 * planted bug, since these prove the tests and not the product. `npm run test:rest` does a quarter of everything, and the planted bugs of the
 * files that have changed unless these are many. `npm run test:all` does the whole.
 */
type Extent = 'part' | 'quarter' | 'whole';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Decides which planted bugs, schedules and cells a run has, and what properties draw; `extent-setup.ts` gives and prints it. */
    seed: number;
    /** Files of the repository that have changed since the commit that a quarter compares with. Empty for a part. */
    changedFiles: readonly string[];
  }
}

const EXTENTS: ReadonlyMap<string | undefined, Extent> = new Map([
  [undefined, 'part'],
  ['quarter', 'quarter'],
  ['all', 'whole'],
]);
const EXTENT = extentOf(process.env['EDGELOOM_TEST_EXTENT']);

function extentOf(name: string | undefined): Extent {
  const extent = EXTENTS.get(name);
  if (extent === undefined) throw new Error(`EDGELOOM_TEST_EXTENT has to be "quarter" or "all", not "${name}"`);
  return extent;
}

/** Whether everything is run. */
export const isWhole = EXTENT === 'whole';

/** Whether only a part is run, which is too little for what happens in one of a hundred schedules. */
export const isPart = EXTENT === 'part';

/** A seed has one of these. */
const QUARTERS = 4;

/** A number of runs: of schedules, or of cases that a property draws. */
export function runs({ part, whole }: Omit<Size, 'rest'>): number {
  if (isPart) return part;
  return isWhole ? whole : Math.max(part, Math.ceil(whole / QUARTERS));
}

/**
 * The seeds of a run's schedules. A quarter has `rest` of them, or a quarter of the whole; seeds of runs that follow on each other have all of the
 * whole in turn.
 */
export function seeds({ rest, ...numbers }: Size): { first: number; count: number } {
  if (EXTENT !== 'quarter') return { first: 1, count: runs(numbers) };
  const count = rest ?? runs(numbers);
  const turns = Math.ceil(numbers.whole / count);
  return { first: 1 + (inject('seed') % turns) * count, count };
}

/** Whether the run has the thing at this place of a list: each of the whole, every fourth one, or one of `parts`. */
export function isOfRun(place: number, parts: number): boolean {
  const every = isPart ? parts : QUARTERS;
  return isWhole || place % every === inject('seed') % every;
}

/**
 * The planted bugs of a run: all, or a quarter by their names and those of changed files, unless these are more than a quarter, so that a large
 * change doesn't make a run longer. A seed that has none of a short list gets one of the others, since a suite without a test fails.
 */
export function plantedBugs<T extends { readonly name: string; readonly changes?: readonly Change[] }>(
  all: readonly T[],
): readonly T[] {
  if (isWhole) return all;
  const seed = inject('seed');
  const own = all.filter(({ name }) => numberOf(name) % QUARTERS === seed % QUARTERS);
  const drawn = own.length === 0 ? all.slice(seed % all.length).slice(0, 1) : own;
  const changed = new Set(inject('changedFiles'));
  const ofChanged = all.filter(({ changes = [] }) => filesOf(changes).some((file) => changed.has(file)));
  return ofChanged.length > all.length / QUARTERS ? drawn : [...new Set([...drawn, ...ofChanged])];
}

function numberOf(name: string): number {
  return createHash('sha256').update(name).digest().readUInt32BE();
}

/**
 * The names of what happened in at most this share of the schedules. A part has too few of them to say; a quarter may have fewer by chance, of
 * what happens at random by three standard deviations at most.
 */
export function rare(
  names: readonly string[],
  counters: Readonly<Record<string, number>>,
  schedules: number,
  share: number,
): readonly string[] {
  if (isPart) return [];
  const expected = schedules * share;
  const least = isWhole ? expected : Math.max(0, expected - 3 * Math.sqrt(expected));
  return names.filter((name) => !((counters[name] ?? 0) > least));
}
