import { PLANTED } from '../planted/all.ts';
import { bugNamed } from '../planted/mutant.ts';

/** Planted bugs, and the scope that finds each. */
const FOUND: Readonly<Record<string, string>> = {
  'truth-before-view': 'there-and-back',
  'view-revision-ignored': 'there-and-back',
  'stale-unit-leaves-no-trace': 'falling-numbers',
  'truth-kept-across-retries': 'falling-numbers',
  'removal-unseen-view': 'two-writes',
  'evolution-not-ready-used': 'search-added',
  'evolution-own-model': 'search-added',
};

const ALL = PLANTED.map(({ mutant }) => mutant);

/** The planted bugs that a walk of a whole scope finds, each with the name of the scope. */
export const SCOPE_MUTANTS = Object.entries(FOUND).map(([name, scope]) => ({ ...bugNamed(ALL, name), scope }));
