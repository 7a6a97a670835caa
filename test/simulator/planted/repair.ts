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
