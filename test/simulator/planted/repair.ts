import { addToFile, drop, dropProperty, insertBefore, replaceIn, setCondition, setValue } from './changes.ts';
import type { Mutant } from './mutant.ts';

/** Planted by itself, and where the watermark is lost as well. */
const WITHOUT_FENCE = setCondition('repaired-item-has-a-fence', (old) => `${old} || typeof fenceMs === 'function'`);

/** Planted in repair and rebuild. */
export const REPAIR_MUTANTS: readonly Mutant[] = [
  {
    name: 'repair-truth-kept-across-retries',
    rule: 'Where a repair was overtaken, it reads the base item again.',
    changes: [
      addToFile(
        'overtaken-repair-reads-the-base-item-again',
        'const keptBases = new WeakMap<object, (Item | undefined)[]>();',
      ),
      setValue(
        'overtaken-repair-reads-the-base-item-again',
        (old) => `(keptBases.get(unit) ?? keptBases.set(unit, [${old}]).get(unit)!)[0]`,
      ),
    ],
  },
  {
    name: 'repair-base-before-derived',
    rule: 'A repair reads the derived item first: a write that comes between the two reads has to be seen.',
    changes: [
      insertBefore(
        'repair-reads-the-derived-item-before-its-base, first',
        'const early = [await readExpectedFields(context, unit)];',
      ),
      setValue(
        'repair-reads-the-derived-item-before-its-base, then',
        (old) => `early.length > 0 ? early.pop() : ${old}`,
      ),
    ],
  },
  {
    name: 'repair-index-revision-ignored',
    rule: 'A repair writes under the revision that it has seen, never over a newer projection.',
    changes: [
      setValue(
        'repair-writes-index-items-under-the-revision-seen',
        (old) => `{ ...${old}, condition: { kind: 'newer-than', watermark: '~' } as const }`,
      ),
    ],
  },
  {
    name: 'repair-view-revision-ignored',
    rule: 'The same holds for a view.',
    changes: [
      setValue(
        'repair-writes-views-under-the-revision-seen',
        (old) => `{ ...${old}, condition: { kind: 'newer-than', watermark: '~', notEvicted: [] } }`,
      ),
    ],
  },
  {
    name: 'repair-drops-watermark',
    rule: 'A repair keeps the watermark that it has seen, or sets a fence: one of the two is enough.',
    changes: [
      replaceIn('repair-keeps-a-plausible-watermark', 'await stream.isPlausible(current[WATERMARK])', 'false'),
      WITHOUT_FENCE,
    ],
  },
  {
    name: 'repair-keeps-odd-watermark',
    rule: 'A watermark that cannot be does not survive a repair.',
    changes: [replaceIn('repair-keeps-a-plausible-watermark', 'await stream.isPlausible(current[WATERMARK])', 'true')],
  },
  {
    name: 'repair-readmits-in-part',
    rule: 'An edge type that comes back into the set comes with all of its edges.',
    changes: [replaceIn('edge-type-comes-back-whole', 'corrections?.unmark ?? []', '[] as string[]')],
  },
  {
    name: 'repair-buries-the-living',
    rule: 'A tombstone is buried only if nothing has been written since it was read.',
    changes: [setValue('tombstone-is-buried-under-the-revision-seen', 'await store.delete(key)')],
  },
  {
    name: 'rebuild-drops-the-rest',
    rule: 'The last suspects of a partition are settled too.',
    changes: [drop('last-suspects-of-a-partition-are-reconciled')],
  },
  {
    name: 'repair-named-order-by-node',
    rule: 'The index item of a named order is mended by the edge that its sort key names.',
    changes: [
      replaceIn(
        'named-order-is-repaired-by-its-edge',
        "key.of === 'edge'",
        (old) => `${old} && key.order === undefined`,
      ),
      replaceIn('named-order-is-repaired-by-its-edge', 'undefined', 'source'),
    ],
  },
  {
    name: 'repair-owner-by-no-item',
    rule: 'A node among its own edges is mended by the node.',
    changes: [
      replaceIn(
        'node-among-its-own-edges-is-repaired-by-the-node',
        'source',
        "key?.kind === 'index-item' ? source : undefined",
      ),
    ],
  },
  {
    name: 'repair-without-fence',
    rule: 'What a repair has mended has a fence: its watermark may have been lost with it.',
    changes: [WITHOUT_FENCE],
  },
  {
    name: 'fence-without-margin',
    rule: 'A record that is younger than the fence by less than the clocks may differ is settled by its base item.',
    changes: [replaceIn('fence-has-a-margin', 'FENCE_MARGIN_MS', '0')],
  },
  {
    name: 'fence-of-view-ignored',
    rule: 'The fast path of a view stops at a fence.',
    changes: [drop('fast-path-stops-at-fence')],
  },
  {
    name: 'fence-of-index-item-ignored',
    rule: 'The first update of an index item stops at a fence.',
    changes: [dropProperty('unseen-index-item-stops-at-fence', 'fenceBefore')],
  },
  {
    name: 'fence-ignored-where-seen',
    rule: 'Where a view or a counted item was seen, its fence counts as well.',
    changes: [setCondition('fence-of-an-item-that-was-seen-counts', 'true')],
  },
  {
    name: 'fence-of-counted-item-ignored',
    rule: 'The fence of a counted item stops a record that agrees with nothing.',
    changes: [replaceIn('fence-of-a-counted-item-counts', 'isFenced(unit.records, currents[i])', 'false')],
  },
];
