import { drop, replaceIn, setCondition, setValue } from './changes.ts';
import { DEGREE_MUTANTS } from './degree.ts';
import type { Mutant } from './mutant.ts';

/** Every planted bug that schedules find. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'index-fields-left',
    rule: 'An index item is written with every field, those cleared that are not expected.',
    changes: [replaceIn('fields-not-expected-are-cleared', 'unset.push(name)', 'undefined')],
  },

  // Planted in tombstones, quarantine, errors and delivery.
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

  // Planted in the check: it reports what is only late, or does not see what is wrong.
  {
    name: 'check-first-look',
    rule: 'What differs is a suspect; only a second look tells drift from lag.',
    changes: [
      replaceIn(
        'drift-takes-a-second-look',
        'open.push({ look, differences: differences.map((difference) => ({ difference, rounds: 0 })) })',
        "confirmed.push(outcomeOf('drift', look.judgement))",
      ),
    ],
  },
  {
    name: 'check-waits-not',
    rule: 'The second look comes when the stream has passed the first one.',
    changes: [setCondition('second-look-waits-for-the-stream', 'appliedMs !== undefined')],
  },
  {
    name: 'check-revision-ignored',
    rule: 'A suspect that was written in between is looked at again.',
    changes: [replaceIn('suspect-written-meanwhile-is-looked-at-again', 'isLeft', 'true')],
  },
  {
    name: 'check-no-orphans',
    rule: 'An index item that no base item was met for is a suspect.',
    changes: [drop('index-item-of-no-base-item-is-a-suspect')],
  },
  {
    name: 'check-no-elements',
    rule: 'The elements of a view are compared, but for those of evicted types.',
    changes: [setValue('elements-of-a-view-are-compared', 'false')],
  },

  ...DEGREE_MUTANTS,

  // Planted in copies of target nodes' attributes, their reverse items and the fan-out.
  {
    name: 'copies-left-behind',
    rule: "An edge's copy goes with its element.",
    changes: [replaceIn('copy-goes-with-its-element', 'hasElement', 'true')],
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
