import type { Mutant } from '../../planted/mutant.ts';

/** Rules of a rebuild without a registry beside batches that are under way, broken one by one. */
export const REBUILDS_MUTANTS: readonly Mutant[] = [];
