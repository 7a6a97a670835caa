import type { Mutant } from './mutant.ts';

/** Planted in the application of views. */
export const VIEW_MUTANTS: readonly Mutant[] = [];
