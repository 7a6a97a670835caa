import { moveAhead, replaceIn, setCondition, setValue } from '../../planted/changes.ts';
import type { Mutant } from '../../planted/mutant.ts';

/** Rules of index items that an edge and its source node determine together, broken one by one. */
export const JOINED_MUTANTS: readonly Mutant[] = [
  {
    name: 'joined-edges-before-items',
    rule: 'A fan-out to joined items queries them before the base edges.',
    changes: [moveAhead('joined-items-before-edges')],
  },
  {
    name: 'joined-node-before-items',
    rule: 'A fan-out to joined items reads the node after the items and the base edges.',
    changes: [moveAhead('joined-items-before-the-node')],
  },
  {
    name: 'joined-ranges-read-eventually',
    rule: 'A fan-out to joined items queries consistently.',
    changes: [setValue('joined-ranges-are-read-consistently', 'false')],
  },
  {
    name: 'joined-continuation-of-copies',
    rule: 'Fan-outs of copies and to joined items along one edge type go on apart.',
    changes: [setCondition('fan-outs-of-a-type-go-on-apart', 'true')],
  },
  {
    name: 'joined-without-a-further-round',
    rule: 'A change of the node that meets a fan-out under way gets a round of its own, when that is at its end.',
    changes: [setValue('change-during-a-fan-out-gets-a-round', 'after')],
  },
  {
    name: 'joined-later-place',
    rule: 'A continuation that begins keeps the earlier of its own place and the one in progress.',
    changes: [
      replaceIn(
        'continuation-keeps-the-earlier-place',
        'compareKeys(place, inProgress) < 0',
        'compareKeys(place, inProgress) > 0',
      ),
    ],
  },
];
