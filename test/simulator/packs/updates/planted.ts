import { drop, dropProperty, insertAfter, replaceIn, setCondition, setValue } from '../../planted/changes.ts';
import type { Mutant } from '../../planted/mutant.ts';

/** Rules of updates, broken one by one; each has to make a schedule of writers fail. */
export const UPDATE_MUTANTS: readonly Mutant[] = [
  {
    name: 'update-unconditional',
    rule: "An update that has read an item is made only if the attributes that it read haven't changed.",
    changes: [
      dropProperty('update-is-made-of-the-item-as-seen', 'equal'),
      dropProperty('update-is-made-of-the-item-as-seen', 'absent'),
    ],
  },
  {
    name: 'update-reads-forgotten',
    rule: 'The condition of an update covers every attribute that it read, not only those that it writes.',
    changes: [replaceIn('condition-names-what-was-looked-at', 'looked', '[]')],
  },
  {
    name: 'update-absence-forgotten',
    rule: 'An update requires that every attribute it found absent is still absent.',
    changes: [dropProperty('update-is-made-of-the-item-as-seen', 'absent')],
  },
  {
    name: 'update-absent-item-unchecked',
    rule: 'An update that creates an item requires that the item is still absent.',
    changes: [setValue('item-that-is-made-is-absent-still', '{}')],
  },
  {
    name: 'lost-answer-repeated',
    rule: 'A change whose response was lost is repeated only if it has a token.',
    changes: [setCondition('lost-answer-is-not-repeated-without-a-token', 'false')],
  },
  {
    name: 'token-of-each-attempt',
    rule: 'All attempts of one change share a token.',
    changes: [
      replaceIn(
        'attempts-share-a-token',
        'changeOnce(store, change, token)',
        'changeOnce(store, change, globalThis.crypto.randomUUID())',
      ),
    ],
  },
  {
    name: 'update-on-old-item',
    rule: 'After a failed condition, the function runs again on the item that failed the condition.',
    changes: [
      drop('update-runs-on-the-item-that-failed-it'),
      insertAfter(
        'update-is-conditional-on-what-it-saw',
        'if (update !== undefined && attempt > 1) update.condition = { present: true };',
      ),
    ],
  },
];

/** Rules of sessions, broken one by one; each has to make a walk over pages fail. */
export const WALK_MUTANTS: readonly Mutant[] = [
  {
    name: 'session-patched-after-limit',
    rule: "A session's own writes are merged in before the page is cut, not inserted into the finished page.",
    changes: [
      replaceIn('own-writes-are-merged-first', 'request', '{ ...request, overlay: undefined }'),
      replaceIn('rows-of-own-writes-are-left-out', 'request.overlay?.isReplaced(item) !== true', 'true'),
      setValue(
        'page-is-cut-after-own-writes-are-merged',
        `[
    ...first.slice(0, limit).filter(({ item }) => request.overlay?.isReplaced(item) !== true),
    ...overlayItems(context, request, remaining).filter(
      ({ key }) => first.length <= limit || order(key, first[limit - 1]!.key) <= 0,
    ),
  ]
    .sort((left, right) => order(left.key, right.key))
    .map(({ item }) => item)`,
      ),
    ],
  },
  {
    name: 'session-rows-kept',
    rule: 'A list leaves out the index rows of base items that the session has written.',
    changes: [replaceIn('rows-of-own-writes-are-left-out', 'request.overlay?.isReplaced(item) !== true', 'true')],
  },
  {
    name: 'walk-forgets-what-own-writes-replaced',
    rule: 'If the session has forgotten a write, its walk rereads the index rows that it had left out because of that write.',
    changes: [setCondition('walk-asks-for-rows-that-own-writes-replaced', 'false')],
  },
  {
    name: 'session-key-leaves-when-projected',
    rule: 'Without a low watermark, a key leaves the session only when it is old enough and two looks agree, even if the write is projected earlier.',
    changes: [setCondition('key-leaves-after-two-like-looks', 'agrees'), drop('key-stays-for-its-least-age')],
  },
  {
    name: 'session-no-grace-for-the-index',
    rule: 'After the low watermark has passed a write, the session still waits until indexes must show the write.',
    changes: [setValue('index-has-its-time-after-the-low-watermark', 'true')],
  },
  {
    name: 'session-mark-ignored',
    rule: 'A key stays in the session until the low watermark has passed its write.',
    changes: [setCondition('key-stays-until-the-low-watermark-passes', 'lowWatermark === undefined')],
  },
];
