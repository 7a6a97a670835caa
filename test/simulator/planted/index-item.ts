import type { Mutant } from './mutant.ts';

const WRITES = 'src/plan/writes/updates.ts';
const INDEX_ITEM = 'src/apply/index-item.ts';

/** Planted in the application of index items. */
export const INDEX_MUTANTS: readonly Mutant[] = [
  {
    name: 'index-watermark-not-written',
    rule: 'Every write of an index item takes the watermark along.',
    patches: [
      {
        file: WRITES,
        find: '  const set: Item = { [WATERMARK]: { S: watermark }, [MODEL]',
        replace: '  const set: Item = { [MODEL]',
      },
    ],
  },
  {
    name: 'index-unconditional',
    rule: 'An index item takes a record unread only if it is newer.',
    patches: [
      {
        file: WRITES,
        find: "condition: { kind: 'newer-than', watermark: unit.newest, fenceBefore: beyondFences(unit.records) },",
        replace: "condition: { kind: 'newer-than', watermark: '~' },",
      },
    ],
  },
  {
    name: 'index-without-truth',
    rule: 'An index item that is not older than the record and says otherwise is settled by the base item.',
    patches: [
      {
        file: INDEX_ITEM,
        find: 'isAgreed ? unit.wanted : await readTruth(context, unit)',
        replace: 'isAsWanted(current, current) ? unit.wanted : undefined',
      },
    ],
  },
  {
    name: 'index-agreeing-leaves-no-trace',
    rule: 'An index item that agrees with an older record moves its revision, unless the very same records made it so.',
    patches: [
      {
        file: INDEX_ITEM,
        find: 'if (isAgreed && stringOf(current?.[WATERMARK]) === unit.newest) return;',
        replace: 'if (isAgreed) return;',
      },
    ],
  },
  {
    name: 'index-revision-ignored',
    rule: "The base item's word is written to the revision of the index item that was seen.",
    patches: [
      {
        file: WRITES,
        find: 'watermark, now, indexFields(wanted)),\n    // The tombstone of an edge that lives may have expired: records of its node come at any time.\n    condition: unchanged(current, graph.table.ttl),',
        replace: "watermark, now, indexFields(wanted)),\n    condition: { kind: 'newer-than', watermark: '~' },",
      },
    ],
  },
  {
    name: 'index-watermark-goes-back',
    rule: 'A settled index item keeps the later of its watermark and the newest record.',
    patches: [
      {
        file: WRITES,
        find: 'const watermark = laterOf(stringOf(current?.[WATERMARK]), unit.newest);',
        replace: 'const watermark = unit.newest;',
      },
    ],
  },
  {
    name: 'index-truth-read-eventually',
    rule: 'The base item of an index item is read consistently.',
    patches: [
      {
        file: INDEX_ITEM,
        find: 'await readItem(context, { source, target })',
        replace: '(await context.store.get({ source, target }, { consistent: false })).item',
      },
    ],
  },
  {
    name: 'index-fields-left',
    rule: 'An index item is written with every field, those cleared that are not wanted.',
    patches: [
      {
        file: WRITES,
        find: '    if (value === undefined) unset.push(name);\n    else set',
        replace: '    if (value !== undefined) set',
      },
    ],
  },
];
