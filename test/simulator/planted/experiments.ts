import type { Mutant } from './mutant.ts';

/** Changes of the protocol that are not known to be wrong: for long runs only, `npm run simulate -- projecting --mutant NAME`. */
export const EXPERIMENTS: readonly Mutant[] = [];
