import { addToFile, insertBefore, moveAhead, replaceIn, setCondition, setValue } from '../../planted/changes.ts';
import type { Mutant } from '../../planted/mutant.ts';

/** Rules of index items that an edge and its source node determine together, broken one by one. */
export const JOINED_MUTANTS: readonly Mutant[] = [
  {
    name: 'joined-node-net-zero',
    rule: "A node's change fans out unless each record gives the same.",
    changes: [
      setCondition(
        'no-net-zero-in-fan-outs',
        (old) => `${old} || (of === 'joined' && isSame(records[0]?.oldImage, records.at(-1)?.newImage))`,
      ),
    ],
  },
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
    name: 'joined-skips-absent',
    rule: 'A fan-out settles an edge also where its item is absent.',
    changes: [
      insertBefore(
        'edge-without-its-joined-item-is-reconciled',
        'if (range !== undefined && range.items.get(target) === undefined) continue;',
      ),
    ],
  },
  {
    name: 'joined-page-ends-at-edges',
    rule: 'A page of a fan-out to joined items ends at the shortest of its ranges.',
    changes: [
      setValue('page-ends-with-its-shortest-range', 'edges.end'),
      insertBefore(
        'edge-without-its-joined-item-is-reconciled',
        'if (range?.end !== undefined && compareKeys(target, range.end) > 0) continue;',
      ),
    ],
  },
  {
    name: 'joined-continuation-of-copies',
    rule: 'Fan-outs of copies and to joined items along one edge type go on apart.',
    changes: [setCondition('fan-outs-of-a-type-go-on-apart', 'true')],
  },
  {
    name: 'joined-settled-for-ever',
    rule: 'A fan-out leaves alone only what its own batch has settled.',
    changes: [
      addToFile('only-this-batch-counts-as-reconciled', 'const settledEver = new Set<string>();'),
      setValue('only-this-batch-counts-as-reconciled', 'settledEver'),
    ],
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
