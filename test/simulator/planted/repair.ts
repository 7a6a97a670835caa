import { drop, replaceIn } from './changes.ts';
import type { Mutant } from './mutant.ts';

/** Planted in repair and rebuild. */
export const REPAIR_MUTANTS: readonly Mutant[] = [
  {
    name: 'rebuild-drops-the-rest',
    rule: 'The last suspects of a partition are settled too.',
    changes: [drop('last-suspects-of-a-partition-are-reconciled')],
  },
  {
    name: 'repair-named-order-by-node',
    rule: 'The index item of a named order is mended by the edge that its sort key names.',
    changes: [
      replaceIn(
        'named-order-is-repaired-by-its-edge',
        "key.of === 'edge'",
        (old) => `${old} && key.order === undefined`,
      ),
      replaceIn('named-order-is-repaired-by-its-edge', 'undefined', 'source'),
    ],
  },
  {
    name: 'repair-owner-by-no-item',
    rule: 'A node among its own edges is mended by the node.',
    changes: [
      replaceIn(
        'node-among-its-own-edges-is-repaired-by-the-node',
        'source',
        "key?.kind === 'index-item' ? source : undefined",
      ),
    ],
  },
];
