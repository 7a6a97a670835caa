import { drop, dropProperty, insertBefore, replaceIn, setCondition, setValue } from '../../planted/changes.ts';
import type { Mutant } from '../../planted/mutant.ts';

/** Rules of the mirror, broken one by one; each has to make a schedule of a mirror fail. */
export const MIRROR_MUTANTS: readonly Mutant[] = [
  {
    name: 'mirror-position-without-stream',
    rule: "A position begins with the stream's label: numbers of two streams do not compare.",
    changes: [replaceIn('mirror-positions-begin-with-the-stream', 'fixedWidth(streamLabel)', "fixedWidth('1')")],
  },
  {
    name: 'mirror-writes-anything',
    rule: 'A record writes only where nothing newer of its source item is known, and no other source item has a say.',
    changes: [setValue('mirror-writes-only-what-is-newer', '{}')],
  },
  {
    name: 'mirror-newer-is-not-looked-at',
    rule: 'Where the item is looked at, an older record is not written either.',
    changes: [
      setCondition('mirror-compares-positions-of-one-maker', 'entry === undefined && contribution.version < 0'),
    ],
  },
  {
    name: 'mirror-removals-forgotten',
    rule: 'What the old image makes and the new one does not gets a tombstone.',
    changes: [
      replaceIn(
        'mirror-buries-what-the-new-image-does-not-make',
        '!after.has(key)',
        '!after.has(key) && key === source.table',
      ),
    ],
  },
  {
    name: 'mirror-tombstones-expire-at-once',
    rule: 'A tombstone outlives every delivery and every process.',
    changes: [setValue('mirror-tombstone-outlives-every-delivery', '1')],
  },
  {
    name: 'mirror-live-content-expires',
    rule: 'Live content takes the expiry of the tombstone away.',
    changes: [
      setCondition(
        'mirror-live-content-does-not-expire',
        '(content !== undefined && [...contributions.byMaker.values()].every(({ goneSince }) => goneSince === undefined))',
      ),
    ],
  },
  {
    name: 'mirror-shown-stays-for-ever',
    rule: 'When the shown maker goes, the smallest live maker takes its place in the same write.',
    changes: [setValue('mirror-smallest-live-maker-takes-over', "live.length < 0 ? '' : shownBefore")],
  },
  {
    name: 'mirror-snapshot-overwrites',
    rule: 'A snapshot writes where nothing is known, or an older mapping said it.',
    changes: [setCondition('mirror-snapshot-replaces-older-versions-alone', 'entry.version > version')],
  },
  {
    name: 'mirror-reconciling-begins-anew',
    rule: 'Reconciling keeps the position that it finds.',
    changes: [setValue('mirror-reconciling-keeps-the-position', 'at')],
  },
  {
    name: 'mirror-source-item-first',
    rule: 'The base item is read before the source item.',
    changes: [
      insertBefore('mirror-base-item-is-read-first', 'const early = await sourceStore.get(keyOfMaker(source, maker));'),
      setValue('mirror-source-item-is-read-in-each-round', 'early'),
    ],
  },
  {
    name: 'mirror-writes-unseen',
    rule: 'What was read decides only if the base item is still as it was read.',
    changes: [setValue('mirror-writes-to-what-it-saw', 'base === undefined ? {} : {}')],
  },
  {
    name: 'mirror-old-records-mapped',
    rule: 'A record from before the mapping began is not mapped from its images.',
    changes: [setValue('mirror-old-records-only-name-keys', "contradiction !== undefined ? 'settle' : 'write'")],
  },
  {
    name: 'mirror-reconciles-back-alone',
    rule: 'Reconciling looks at what every source item makes.',
    changes: [setValue('mirror-reconciles-what-source-items-make', '{ items: 0, written: 0, poisoned: 0 }')],
  },
  {
    name: 'mirror-reconciles-forth-alone',
    rule: 'Reconciling looks at what makes every base item.',
    changes: [setValue('mirror-reconciles-what-makes-base-items', '{ items: 0, written: 0, poisoned: 0 }')],
  },
  {
    name: 'mirror-sweeps-older-versions-alone',
    rule: 'A sweep looks at base items of the present version too: an older consumer may have had the last word about another key.',
    changes: [
      setCondition(
        'mirror-sweep-looks-at-every-version',
        (old) => `entry.version >= context.source.version || (${old})`,
      ),
    ],
  },
  {
    name: 'mirror-check-looks-once',
    rule: 'The check reports a difference that is the same at two looks.',
    changes: [setValue('mirror-check-looks-twice', 'first !== undefined')],
  },
  {
    name: 'mirror-conflict-without-note',
    rule: 'Whoever writes a base item that several source items make leaves a note.',
    changes: [drop('mirror-notes-a-conflict')],
  },
  {
    name: 'mirror-note-lost-in-a-crash',
    rule: 'Whoever meets such an item again leaves the note too: its writer may have ended before.',
    changes: [drop('mirror-notes-a-conflict-that-it-meets')],
  },
  {
    name: 'mirror-note-before-its-item',
    rule: 'The item is written before its note: a look between the two finds no conflict, and would delete the note.',
    changes: [
      insertBefore('mirror-writes-an-item-before-its-note', 'await noteConflict({ graph, store }, key, after);'),
      drop('mirror-notes-a-conflict'),
    ],
  },
  {
    name: 'mirror-newer-note-forgotten',
    rule: 'A note of a conflict that has ended is deleted only if no newer conflict has written it again.',
    changes: [dropProperty('mirror-forgets-a-note-that-is-as-it-was', 'condition')],
  },
  {
    name: 'mirror-poison-forgotten',
    rule: 'A source item that the mapping does not take is noted by its own key, with what it made before.',
    changes: [setValue('mirror-poison-keeps-what-was-made', 'found.keys.slice(0, 0)')],
  },
];
