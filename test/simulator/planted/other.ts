import { replaceIn, setCondition, setValue } from './changes.ts';
import type { Mutant } from './mutant.ts';

/** Planted in tombstones, quarantine, errors and delivery. */
export const OTHER_MUTANTS: readonly Mutant[] = [
  {
    name: 'tombstone-revision-kept',
    rule: 'Writing a tombstone raises the revision.',
    changes: [
      replaceIn(
        'every-write-raises-the-revision',
        "'1'",
        (old) => `update.set['expiresAt'] === undefined ? ${old} : '0'`,
      ),
    ],
  },
  {
    name: 'tombstone-revision-forgotten',
    rule: 'A tombstone keeps the revision: what comes after it must not count from one again.',
    changes: [
      setCondition('revision-goes-on-after-a-tombstone', (old) => `${old} || update.unset.includes('expiresAt')`),
    ],
  },
  {
    name: 'checkpoint-before-apply',
    rule: 'A reader notes how far it came after it has applied, not before.',
    changes: [setValue('reader-applies-before-it-notes', 'batch.length')],
  },
  {
    name: 'claims-not-counted',
    rule: 'A claim holds the records between its ends only if there are as many as it says: else it is of one lane of several.',
    changes: [setCondition('claim-holds-every-record-between-its-ends', 'false')],
  },
];
