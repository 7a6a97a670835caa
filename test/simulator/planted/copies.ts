import { replaceIn, setCondition, setValue } from './changes.ts';
import type { Mutant } from './mutant.ts';

/** Planted in copies of target nodes' attributes, their reverse items and the fan-out. */
export const COPY_MUTANTS: readonly Mutant[] = [
  {
    name: 'copies-left-behind',
    rule: "An edge's copy goes with its element.",
    changes: [replaceIn('copy-goes-with-its-element', 'hasElement', 'true')],
  },
  {
    name: 'copies-beyond-budget',
    rule: "Copies count for the view's byte budget.",
    changes: [setValue('copies-count-for-the-budget', '0')],
  },
  {
    name: 'continuation-not-begun-anew',
    rule: 'A change of the parent begins the continuation of an earlier one anew.',
    changes: [
      setCondition('change-begins-the-continuation-again', (old) => `${old} || current?.[AFTER] !== undefined`),
    ],
  },
  {
    name: 'continuation-buried-alive',
    rule: 'A continuation that is in progress has no expiry.',
    changes: [setValue('continuation-in-progress-does-not-expire', '[]')],
  },
];
