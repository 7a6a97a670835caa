import type { Mutant } from './mutant.ts';

/** Planted in the redrive of what is quarantined. */
export const REDRIVE_MUTANTS: readonly Mutant[] = [];
