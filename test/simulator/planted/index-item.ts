import { dropProperty, insertAfter, replaceIn, setCondition, setValue } from './changes.ts';
import type { Mutant } from './mutant.ts';

/** Planted in the application of index items. */
export const INDEX_MUTANTS: readonly Mutant[] = [
  {
    name: 'packed-search-without-value',
    rule: 'Each of the searches that share an item has its own value there.',
    changes: [replaceIn('each-search-of-an-item-has-its-value', 'valueIn(search.index)', "valueIn('gsi0')")],
  },
  {
    name: 'packed-search-takes-others-along',
    rule: 'A value that cannot be a key leaves the node out of that search alone.',
    changes: [insertAfter('bad-value-leaves-the-other-searches', 'return undefined;')],
  },
  {
    name: 'index-watermark-not-written',
    rule: 'Every write of an index item takes the watermark along.',
    changes: [dropProperty('seen-write-moves-watermark', '[WATERMARK]')],
  },
  {
    name: 'index-unconditional',
    rule: 'An index item takes a record unread only if it is newer.',
    changes: [setValue('unseen-index-item-takes-newer-records', "{ kind: 'newer-than', watermark: '~' }")],
  },
  {
    name: 'index-without-truth',
    rule: 'An index item that is not older than the record and says otherwise is settled by the base item.',
    changes: [setCondition('contradicted-index-item-is-reconciled-by-the-base-item', 'true')],
  },
  {
    name: 'index-agreeing-leaves-no-trace',
    rule: 'An index item that agrees with an older record moves its revision, unless the very same records made it so.',
    changes: [setCondition('index-item-that-agrees-leaves-a-trace', 'isAgreed')],
  },
  {
    name: 'index-revision-ignored',
    rule: "The base item's word is written to the revision of the index item that was seen.",
    changes: [setValue('index-item-is-written-under-the-revision-seen', "{ kind: 'newer-than', watermark: '~' }")],
  },
  {
    name: 'index-watermark-goes-back',
    rule: 'A settled index item keeps the later of its watermark and the newest record.',
    changes: [setValue('index-item-watermark-never-falls', 'unit.newest')],
  },
  {
    name: 'index-truth-read-eventually',
    rule: 'The base item of an index item is read consistently.',
    changes: [
      setValue(
        'base-item-of-an-index-item-is-read-consistently',
        '(await context.store.get({ source, target }, { consistent: false })).item',
      ),
    ],
  },
  {
    name: 'index-fields-left',
    rule: 'An index item is written with every field, those cleared that are not wanted.',
    changes: [replaceIn('fields-not-expected-are-cleared', 'unset.push(name)', 'undefined')],
  },
];
