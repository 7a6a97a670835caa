import { PLANTED } from '../planted/all.ts';
import { bugNamed } from '../planted/mutant.ts';

/** Planted bugs, and the scope that finds each. */
const FOUND: Readonly<Record<string, string>> = {
  'level-base-items-before-derived': 'there-and-back',
  'level-revision-ignored': 'there-and-back',
  'level-equal-item-left': 'falling-numbers',
  'level-base-items-kept-after-conflict': 'falling-numbers',
  'evolution-not-ready-used': 'search-added',
};

const ALL = PLANTED.map(({ mutant }) => mutant);

/** The planted bugs that a walk of a whole scope finds, each with the name of the scope. */
export const SCOPE_MUTANTS = Object.entries(FOUND).map(([name, scope]) => ({ ...bugNamed(ALL, name), scope }));
