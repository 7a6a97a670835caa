import { drop, dropProperty, insertAfter, replaceIn, setCondition, setValue } from '../../planted/changes.ts';
import type { Mutant } from '../../planted/mutant.ts';

/** Rules of updates, broken one by one; each has to make a schedule of writers fail. */
export const UPDATE_MUTANTS: readonly Mutant[] = [
  {
    name: 'update-unconditional',
    rule: 'An update that looked at the item is made only if it is still as it was seen.',
    changes: [
      dropProperty('update-is-made-of-the-item-as-seen', 'equal'),
      dropProperty('update-is-made-of-the-item-as-seen', 'absent'),
    ],
  },
  {
    name: 'update-reads-forgotten',
    rule: 'The condition names what was looked at, not only what is written.',
    changes: [replaceIn('condition-names-what-was-looked-at', 'looked', '[]')],
  },
  {
    name: 'update-absence-forgotten',
    rule: 'An attribute that was looked at and absent has to be absent still.',
    changes: [dropProperty('update-is-made-of-the-item-as-seen', 'absent')],
  },
  {
    name: 'update-absent-item-unchecked',
    rule: 'An update that makes an item finds it absent still.',
    changes: [setValue('item-that-is-made-is-absent-still', '{}')],
  },
  {
    name: 'lost-answer-repeated',
    rule: 'A change whose answer was lost is not sent again without a token.',
    changes: [setCondition('lost-answer-is-not-repeated-without-a-token', 'false')],
  },
  {
    name: 'token-of-each-attempt',
    rule: 'The attempts of one change share a token.',
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
    rule: 'After a failed condition the function runs on the item that failed it.',
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
    rule: 'Own writes are merged in before the page is cut, not put into the page that was cut.',
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
    rule: 'The rows that the index holds of own base items are left out.',
    changes: [replaceIn('rows-of-own-writes-are-left-out', 'request.overlay?.isReplaced(item) !== true', 'true')],
  },
  {
    name: 'walk-forgets-what-own-writes-replaced',
    rule: 'Where the session has forgotten a write, its walk asks the index for the rows that were left out.',
    changes: [setCondition('walk-asks-for-rows-that-own-writes-replaced', 'false')],
  },
  {
    name: 'session-key-leaves-when-projected',
    rule: 'That a write is projected is not enough for its key to leave the session.',
    changes: [setCondition('key-leaves-after-two-like-looks', 'agrees'), drop('key-stays-for-its-least-age')],
  },
  {
    name: 'session-no-grace-for-the-index',
    rule: 'After the low watermark has passed a write, the index still has its time.',
    changes: [setValue('index-has-its-time-after-the-low-watermark', 'true')],
  },
  {
    name: 'session-mark-ignored',
    rule: 'A key stays while the low watermark has not passed its write.',
    changes: [setCondition('key-stays-until-the-low-watermark-passes', 'lowWatermark === undefined')],
  },
];
