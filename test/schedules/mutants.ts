import type { Mutant } from '../simulator/planted/mutant.ts';

const SEEN = 'src/write/update/seen.ts';
const SEND = 'src/write/item/send.ts';
const TRACKED = 'src/write/update/tracked.ts';
const UPDATE = 'src/write/update/update.ts';

/** Rules of updates, broken one by one; each has to make a schedule of writers fail. */
export const UPDATE_MUTANTS: readonly Mutant[] = [
  {
    name: 'update-unconditional',
    rule: 'An update that looked at the item is made only if it is still as it was seen.',
    patches: [{ file: SEEN, find: 'return { present: true, equal, absent };', replace: 'return { present: true };' }],
  },
  {
    name: 'update-reads-forgotten',
    rule: 'The condition names what was looked at, not only what is written.',
    patches: [
      {
        file: SEEN,
        find: 'new Set([...looked, ...Object.keys(set), ...remove])',
        replace: 'new Set([...Object.keys(set), ...remove])',
      },
    ],
  },
  {
    name: 'update-absence-forgotten',
    rule: 'An attribute that was looked at and absent has to be absent still.',
    patches: [
      { file: SEEN, find: 'return { present: true, equal, absent };', replace: 'return { present: true, equal };' },
    ],
  },
  {
    name: 'update-enumeration-of-present',
    rule: 'Looking at all attributes looks at the declared ones that are absent, too.',
    patches: [{ file: TRACKED, find: '[...Object.keys(target), ...declared]', replace: 'Object.keys(target)' }],
  },
  {
    name: 'update-writes-all',
    rule: 'Only what differs is written.',
    patches: [
      {
        file: SEEN,
        find: 'if (!sameValue(next[name], attributeOf(present, name))) setOwn',
        replace: 'if (next[name] !== undefined) setOwn',
      },
      { file: SEEN, find: 'return { present: true, equal, absent };', replace: 'return { present: true };' },
    ],
  },
  {
    name: 'update-absent-item-unchecked',
    rule: 'An update that makes an item finds it absent still.',
    patches: [{ file: SEEN, find: 'const absent = { present: false };', replace: 'const absent = {};' }],
  },
  {
    name: 'lost-answer-repeated',
    rule: 'A change whose answer was lost is not sent again without a token.',
    patches: [
      {
        file: SEND,
        find: '(token === undefined ? isRefused(error) : mayRepeat(error))',
        replace: 'mayRepeat(error)',
      },
    ],
  },
  {
    name: 'token-of-each-attempt',
    rule: 'The attempts of one change share a token.',
    patches: [
      {
        file: SEND,
        find: 'changeOnce(store, change, token);',
        replace: 'changeOnce(store, change, globalThis.crypto.randomUUID());',
      },
    ],
  },
  {
    name: 'update-on-old-item',
    rule: 'After a failed condition the function runs on the item that failed it.',
    patches: [
      { file: UPDATE, find: 'seen = result.current;', replace: '' },
      {
        file: UPDATE,
        find: 'const update = await updateOfSeen(subject, seen, change, condition);',
        replace:
          'const update = await updateOfSeen(subject, seen, change, condition);\n    if (update !== undefined && attempt > 1) update.condition = { present: true };',
      },
    ],
  },
];

/** Every planted bug that `npm run schedules` finds. */
export const SCHEDULE_MUTANTS: readonly Mutant[] = UPDATE_MUTANTS;
