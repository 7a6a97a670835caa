import { addToFile, replace, replaceIn, setCondition, setValue } from './changes.ts';
import type { Mutant } from './mutant.ts';

/** Planted in tombstones, quarantine, errors and delivery. */
export const OTHER_MUTANTS: readonly Mutant[] = [
  {
    name: 'tombstone-revision-kept',
    rule: 'Writing a tombstone raises the revision.',
    changes: [
      replace(
        'every-write-raises-the-revision',
        (old) => `if (update.set['expiresAt'] === undefined || item[REVISION] === undefined) ${old}`,
      ),
    ],
  },
  {
    name: 'tombstone-revision-forgotten',
    rule: 'A tombstone keeps the revision: what comes after it must not count from one again.',
    changes: [
      replaceIn(
        'every-write-raises-the-revision',
        'item[REVISION]',
        (old) => `item['expiresAt'] === undefined ? ${old} : undefined`,
      ),
    ],
  },
  {
    name: 'reconciled-by-older-truth',
    rule: 'Whatever is reconciled: the derived item is read first, what decides about it after that.',
    changes: [
      replace(
        'derived-item-is-read-before-what-decides',
        'const { expected } = seen!;\nconst actual = await readItem(context, one.key);',
      ),
    ],
  },
  {
    name: 'reconciled-by-truth-before-conflict',
    rule: 'After a conflict what decides is read again, not the derived item alone.',
    changes: [
      addToFile('conflict-repeats-every-read', 'const kept = new WeakMap<object, { is: unknown }>();'),
      setValue(
        'conflict-repeats-every-read',
        `async (_ones, [actual], attempt) => {
          const first = kept.get(one) ?? { is: await one.expected(actual, attempt) };
          kept.set(one, first);
          return [first.is as Expected];
        }`,
      ),
    ],
  },
  {
    name: 'failure-from-highest',
    rule: 'A batch fails from its lowest record that is not applied on.',
    changes: [
      replaceIn('batch-fails-from-its-lowest-record', 'isOlder(record, failedFrom)', 'isOlder(failedFrom, record)'),
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
