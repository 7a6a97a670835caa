import { replaceIn, setCondition, setValue } from '../../simulator/planted/changes.ts';
import type { Mutant } from '../../simulator/planted/mutant.ts';

/** A fault that these schedules found, planted again, and a seed whose schedule shows it. */
export interface FoundFault {
  seed: number;
  mutant: Mutant;
}

/** The rules of model changes themselves are broken one by one in `test/simulator/evolution/planted.ts`. */
export const FOUND_FAULTS: readonly FoundFault[] = [
  {
    seed: 2,
    mutant: {
      name: 'count-of-no-set',
      rule: 'A count that is not ready is that of the base edges, also where no set lists them.',
      changes: [setCondition('count-that-is-not-ready-is-of-base-edges', (old) => `${old} || element === undefined`)],
    },
  },
  {
    seed: 51,
    mutant: {
      name: 'list-is-code',
      rule: 'Every consumer has the code of a list of nodes.',
      changes: [replaceIn('every-consumer-has-the-code-of-a-list', 'codeOfList(name)', 'undefined')],
    },
  },
  {
    seed: 8,
    mutant: {
      name: 'code-for-what-goes',
      rule: 'What only goes needs no function of what it was.',
      changes: [setCondition('what-goes-needs-no-code', 'true')],
    },
  },
  {
    seed: 149,
    mutant: {
      name: 'code-for-what-is-replaced',
      rule: 'Views that a migration replaces need no function of what they were.',
      changes: [setCondition('replaced-views-need-no-code', (old) => `${old} && own === ''`)],
    },
  },
  {
    seed: 27,
    mutant: {
      name: 'stamps-again',
      rule: 'A registry that is made anew stamps no view as one before did.',
      changes: [setValue('new-registry-stamps-no-view-again', '1')],
    },
  },
];
