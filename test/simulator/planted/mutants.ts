import { CHECK_MUTANTS } from './check.ts';
import { COPY_MUTANTS } from './copies.ts';
import { DEGREE_MUTANTS } from './degree.ts';
import { GONE_MUTANTS } from './gone.ts';
import { INDEX_MUTANTS } from './index-item.ts';
import type { Mutant } from './mutant.ts';
import { OTHER_MUTANTS } from './other.ts';
import { PART_MUTANTS } from './parts.ts';
import { PLAN_MUTANTS } from './plan.ts';

/** Every planted bug that schedules find. */
export const MUTANTS: readonly Mutant[] = [
  ...PLAN_MUTANTS,
  ...INDEX_MUTANTS,
  ...OTHER_MUTANTS,
  ...CHECK_MUTANTS,
  ...DEGREE_MUTANTS,
  ...COPY_MUTANTS,
  ...PART_MUTANTS,
  ...GONE_MUTANTS,
];
