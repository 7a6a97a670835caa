import { drop, setValue } from '../../planted/changes.ts';
import type { Mutant } from '../../planted/mutant.ts';

/** Rules of a rebuild without a registry beside batches that are under way, broken one by one. */
export const REBUILDS_MUTANTS: readonly Mutant[] = [
  {
    name: 'rebuild-during-a-batch-is-not-seen',
    rule: 'A batch of a table without a registry looks for a rebuild after it is applied.',
    changes: [
      setValue('batch-looks-for-a-rebuild-after-it', 'undefined as Awaited<ReturnType<typeof readNewRebuild>>'),
    ],
  },
  {
    name: 'batch-during-a-rebuild-keeps-its-images',
    rule: 'A batch during which a rebuild of its model began is applied again, by the base items.',
    changes: [drop('batch-during-a-rebuild-is-applied-again')],
  },
  {
    name: 'writes-of-another-model-stay',
    rule: 'The writes of a batch of another model are quarantined if a rebuild began meanwhile.',
    changes: [drop('writes-during-a-rebuild-by-another-model-are-quarantined')],
  },
];
