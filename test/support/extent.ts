import { createHash } from 'node:crypto';
import { inject } from 'vitest';

/**
 * How much a run of the tests does: `npm test` a part of each property and a tenth of the planted bugs, `npm run test:all`
 * everything.
 */

declare module 'vitest' {
  export interface ProvidedContext {
    /** Decides which planted bugs a part of them has, and what properties draw; `extent-setup.ts` gives and prints it. */
    seed: number;
  }
}

/** Whether everything is run. */
export const isWhole = process.env['EDGELOOM_TESTS'] !== undefined;

/** A number of runs: of schedules, or of cases that a property draws. */
export function runs(numbers: { part: number; whole: number }): number {
  return isWhole ? numbers.whole : numbers.part;
}

/** Parts into which planted bugs are dealt out. */
const PARTS = 10;

/** All planted bugs, or the tenth of them that the run's seed has. */
export function plantedBugs<T extends { readonly name: string }>(all: readonly T[]): readonly T[] {
  return isWhole ? all : tenth(all, inject('seed'));
}

/** The planted bugs of a seed: ten seeds that follow on each other have all of them. A bug stays in its tenth when others are added. */
export function tenth<T extends { readonly name: string }>(all: readonly T[], seed: number): readonly T[] {
  return all.filter(({ name }) => partOf(name) === seed % PARTS);
}

function partOf(name: string): number {
  return createHash('sha256').update(name).digest().readUInt32BE() % PARTS;
}
