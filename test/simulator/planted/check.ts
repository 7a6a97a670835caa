import { drop, replaceIn, setCondition, setValue } from './changes.ts';
import type { Mutant } from './mutant.ts';

/** Planted in the check: it reports what is only late, or does not see what is wrong. */
export const CHECK_MUTANTS: readonly Mutant[] = [
  {
    name: 'check-first-look',
    rule: 'What differs is a suspect; only a second look tells drift from lag.',
    changes: [
      replaceIn(
        'drift-takes-a-second-look',
        'open.push({ look, differences: differences.map(firstSeen) })',
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
  {
    name: 'check-no-expiry',
    rule: 'An expiry on what is no tombstone is drift.',
    changes: [setValue('expiry-on-a-live-item-is-drift', 'false')],
  },
  {
    name: 'check-no-copies',
    rule: 'The nodes that a view copies of are looked up.',
    changes: [drop('copied-nodes-are-looked-up')],
  },
  {
    name: 'check-no-reverse-items',
    rule: 'The reverse item of each edge that copies is looked up.',
    changes: [
      setValue(
        'items-of-each-edge-in-its-target-are-looked-up',
        (old) => `(${old}).filter(({ fields }) => !('child' in fields) || Object.keys(fields).length > 1)`,
      ),
    ],
  },
  {
    name: 'check-no-orphaned-reverse-items',
    rule: 'The edge of each reverse item is looked up.',
    changes: [setValue('edge-of-each-reverse-item-is-looked-up', (old) => `(${old}).slice(0, 0)`)],
  },
];
