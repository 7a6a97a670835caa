import { drop, replaceIn, setCondition, setValue } from './changes.ts';
import { DEGREE_MUTANTS } from './degree.ts';
import type { Mutant } from './mutant.ts';

/** Planted bugs that random or kept schedules of the pack `projecting` find. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'index-fields-left',
    rule: 'A write of a derived item clears every stored field that the item should no longer have.',
    changes: [replaceIn('fields-not-expected-are-cleared', 'unset.push(name)', 'undefined')],
  },

  // Bugs in tombstones, checkpoints and claims.
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
    rule: 'The revision continues after a tombstone, because a revision that restarts at 1 could match an old read.',
    changes: [
      setCondition('revision-goes-on-after-a-tombstone', (old) => `${old} || update.unset.includes('expiresAt')`),
    ],
  },
  {
    name: 'checkpoint-before-apply',
    rule: 'A stream reader saves its position only after it has applied the records before that position.',
    changes: [setValue('reader-applies-before-it-notes', 'batch.length')],
  },
  {
    name: 'claims-not-counted',
    rule: "A claim that isn't whole covers the records between its ends only if their number matches, because another lane may not have applied the rest.",
    changes: [setCondition('claim-holds-every-record-between-its-ends', 'false')],
  },

  // Bugs in the check, which then reports lag as drift or misses drift.
  {
    name: 'check-first-look',
    rule: 'A difference is only a suspect at the first look, because only a second look can tell drift from lag.',
    changes: [
      replaceIn(
        'drift-takes-a-second-look',
        'open.push({ look, differences: differences.map((difference) => ({ difference, rounds: 0 })) })',
        "confirmed.push(outcomeOf('drift', look.judgment))",
      ),
    ],
  },
  {
    name: 'check-waits-not',
    rule: 'The second look waits until the consumer has applied all records from before the first look.',
    changes: [setCondition('second-look-waits-for-the-stream', 'appliedMs !== undefined')],
  },
  {
    name: 'check-revision-ignored',
    rule: 'A suspect that was written between two looks is looked at again.',
    changes: [replaceIn('suspect-written-meanwhile-is-looked-at-again', 'isLeft', 'true')],
  },
  {
    name: 'check-no-orphans',
    rule: 'An index item is a suspect if the check meets no base item that asks for it.',
    changes: [drop('index-item-of-no-base-item-is-a-suspect')],
  },
  {
    name: 'check-no-elements',
    rule: 'A check compares all elements of a view, but elements of evicted edge types may be missing.',
    changes: [setValue('elements-of-a-view-are-compared', 'false')],
  },

  ...DEGREE_MUTANTS,

  // Bugs in copies of target nodes' attributes and in their fan-outs.
  {
    name: 'copies-left-behind',
    rule: "A view keeps an edge's copy only while it has an element for that edge.",
    changes: [replaceIn('copy-goes-with-its-element', 'hasElement', 'true')],
  },
  {
    name: 'continuation-not-begun-anew',
    rule: 'A change to a node during its fan-out requests another round, because the fan-out may already have passed some items.',
    changes: [
      setCondition('change-begins-the-continuation-again', (old) => `${old} || current?.[AFTER] !== undefined`),
    ],
  },
  {
    name: 'continuation-buried-alive',
    rule: 'A continuation has no expiry while its fan-out is in progress.',
    changes: [setValue('continuation-in-progress-does-not-expire', '[]')],
  },
];
