import { drop, setCondition, setValue } from './changes.ts';
import type { Mutant } from './mutant.ts';

/** Planted in what takes a stored base item for absent. */
export const GONE_MUTANTS: readonly Mutant[] = [
  {
    name: 'gone-item-derived',
    rule: 'An item that says it is gone is absent, whatever its type.',
    changes: [drop('item-that-says-it-is-gone-is-absent')],
  },
  {
    name: 'soft-deletion-as-update',
    rule: 'A record that soft-deletes an item removes what is derived from it.',
    changes: [setValue('soft-deleted-item-is-absent', 'false')],
  },
  {
    name: 'soft-deletion-by-null',
    rule: 'An attribute that is null or false deletes nothing.',
    changes: [
      setValue('soft-deleted-item-is-absent', 'deletedWhen !== undefined && Object.hasOwn(image, deletedWhen)'),
    ],
  },
  {
    name: 'joined-with-a-deleted-node',
    rule: 'The edges of a soft-deleted node have nothing of it in their index items.',
    changes: [setCondition('edges-of-a-soft-deleted-node-lose-its-share', 'image === undefined')],
  },
  {
    name: 'copy-of-a-deleted-node',
    rule: 'A soft-deleted node is not copied.',
    changes: [setCondition('soft-deleted-node-is-not-copied', 'node === undefined')],
  },
];
