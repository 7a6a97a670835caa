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

const SCATTER = 'src/read/lists/scatter.ts';
const OWN = 'src/session/own-writes.ts';
const SESSION = 'src/session/session.ts';
const OVERLAY_FIRST = 'let first = overlayItems(context, request, remaining)';
const REPLACED = 'if (accept(item) && request.overlay?.isReplaced(item) !== true)';

/** Rules of sessions, broken one by one; each has to make a walk over pages fail. */
export const WALK_MUTANTS: readonly Mutant[] = [
  {
    name: 'session-patched-after-limit',
    rule: 'Own writes are merged in before the page is cut, not put into the page that was cut.',
    patches: [
      {
        file: SCATTER,
        find: OVERLAY_FIRST,
        replace: 'let first = overlayItems(context, { ...request, overlay: undefined } as never, remaining)',
      },
      { file: SCATTER, find: REPLACED, replace: 'if (accept(item))' },
      {
        file: SCATTER,
        find: 'const items = first.slice(0, limit).map(({ item }) => item);',
        replace:
          'const items = [...first.slice(0, limit).filter(({ item }) => request.overlay?.isReplaced(item) !== true), ...overlayItems(context, request, remaining).filter(({ key }) => first.length <= limit || order(key, first[limit - 1]!.key) <= 0)].sort((left, right) => order(left.key, right.key)).map(({ item }) => item);',
      },
    ],
  },
  {
    name: 'session-replaced-by-derived-key',
    rule: 'Every row of an own base item is left out, not only one that the base item wants now.',
    patches: [
      {
        file: OWN,
        find: "isReplaced: (row) => sources.has(stringOf(row[partitionKey]) ?? ''),",
        replace:
          "isReplaced: (row) => own.flatMap((write) => wantedIn(graph, write, index, asked, 'index-item')).some((item) => stringOf(item[partitionKey]) === stringOf(row[partitionKey])),",
      },
    ],
  },
  {
    name: 'session-rows-kept',
    rule: 'The rows that the index holds of own base items are left out.',
    patches: [{ file: SCATTER, find: REPLACED, replace: 'if (accept(item))' }],
  },
  {
    name: 'session-raw-cursor',
    rule: 'The cursor is the last item that was given out, not the last row of the index.',
    patches: [
      {
        file: SCATTER,
        find: 'first.length > limit ? first[limit - 1]!.key : undefined',
        replace:
          'first.length > limit ? (first.slice(0, limit).reverse().find(({ item }) => request.overlay?.items.includes(item) !== true) ?? first[limit - 1]!).key : undefined',
      },
    ],
  },
  {
    name: 'filter-not-for-own-writes',
    rule: 'A filter applies to own writes as it does to rows of the index.',
    patches: [
      {
        file: SCATTER,
        find: 'return hasProjected(item, where) ? [{ key, item }] : [];',
        replace: 'return [{ key, item }];',
      },
    ],
  },
  {
    name: 'session-key-leaves-when-projected',
    rule: 'That a write is projected is not enough for its key to leave the session.',
    patches: [
      {
        file: SESSION,
        find: 'if (agrees && before?.revisions === revisions) return true;',
        replace: 'if (agrees) return true;',
      },
      { file: SESSION, find: 'if (now - entry.at < LEAST_AGE_MS) return false;', replace: '' },
    ],
  },
  {
    name: 'session-no-grace-for-the-index',
    rule: 'After the mark of the stream has passed a write, the index still has its time.',
    patches: [{ file: SESSION, find: 'return this.now() - write.passedAt >= this.graceMs;', replace: 'return true;' }],
  },
  {
    name: 'session-mark-ignored',
    rule: 'A key stays while the mark of the stream has not passed its write.',
    patches: [
      {
        file: SESSION,
        find: 'if (mark === undefined || mark < write.at + CLOCK_MARGIN_MS) {',
        replace: 'if (mark === undefined) {',
      },
    ],
  },
];

/** Every planted bug that `npm run schedules` finds. */
export const SCHEDULE_MUTANTS: readonly Mutant[] = [...UPDATE_MUTANTS, ...WALK_MUTANTS];
