import { DIRECTED_MUTANTS } from '../../planted/directed.ts';
import { bugsNamed, type Mutant } from '../../planted/mutant.ts';
import { MUTANTS } from '../../planted/mutants.ts';

/** Planted bugs of the other simulator that schedules of totals and parts show by themselves, without one that is kept or written down. */
const NAMES: ReadonlySet<string> = new Set([
  'count-by-record',
  'total-recomputed',
  'sum-without-bounds',
  'problem-as-zero',
  'group-without-type',
  'check-no-entries',
  'part-without-attributes-not-shown',
  'part-decides-without-its-node',
  'change-of-a-part-stays-with-it',
  'node-comes-without-its-parts',
]);

/** The bugs that the attack on totals and parts has to find. */
export const LEDGER_MUTANTS: readonly Mutant[] = bugsNamed([...MUTANTS, ...DIRECTED_MUTANTS], NAMES);
