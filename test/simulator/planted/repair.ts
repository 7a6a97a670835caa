import { drop, replaceIn, setValue } from './changes.ts';
import type { Mutant } from './mutant.ts';

/** Planted in repair and rebuild. */
export const REPAIR_MUTANTS: readonly Mutant[] = [
  {
    name: 'repair-buries-the-living',
    rule: 'A tombstone is buried only if nothing has been written since it was read.',
    changes: [setValue('tombstone-is-buried-under-the-revision-seen', 'await store.delete(key)')],
  },
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
