import { drop, replace, replaceIn, setValue } from './changes.ts';
import { DIRECTED_TOTAL_MUTANTS } from './degree.ts';
import type { Mutant } from './mutant.ts';

/** Planted for the schedules that are written down: drawn ones find them too rarely. */
export const DIRECTED_MUTANTS: readonly Mutant[] = [
  ...DIRECTED_TOTAL_MUTANTS,
  {
    name: 'key-of-a-part-not-read',
    rule: 'The key of an item of a part names the part, by which it is repaired.',
    changes: [drop('key-of-a-part-names-the-part')],
  },
  {
    name: 'part-repaired-by-the-node',
    rule: 'What comes of a part is repaired by the part, not by the node.',
    changes: [drop('items-of-a-part-are-repaired-by-the-part')],
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
    name: 'tombstone-of-minutes',
    rule: 'A tombstone outlives every write that rests on a read before it: one that lands after minutes has to meet it.',
    changes: [setValue('tombstone-outlives-late-writes', '0.2')],
  },
  {
    name: 'check-fan-out-past',
    rule: 'A fan-out that is past an edge mends nothing there: what is wrong behind it is not on its way.',
    changes: [setValue('fan-out-that-is-past-repairs-nothing', 'after !== undefined')],
  },
  {
    name: 'repair-readmits-in-part',
    rule: 'An edge type that comes back into the set comes with all of its edges.',
    changes: [replaceIn('edge-type-comes-back-whole', 'returning', '[] as string[]')],
  },
  {
    name: 'redriven-entry-deleted',
    rule: 'A redrive makes an entry a tombstone, so that its revisions do not come back.',
    changes: [
      replace(
        'redriven-entry-leaves-a-tombstone',
        'const { applied } = await context.store.delete(key, unchangedCondition(item, context.graph.table.ttl));',
      ),
    ],
  },
  {
    name: 'refusal-put-blindly',
    rule: 'The entry of an item that the table refuses is written only under the revision that was read.',
    changes: [
      replace(
        'refusal-is-written-under-the-revision-read',
        `const { source, target } = refusalKey(touch);
  const content = refusalEntry(touch, was, error, context.now());
  await context.store.put({ source: { S: source }, target: { S: target }, ...content, r: { N: '1' } });
  return undefined;`,
      ),
    ],
  },
  {
    name: 'refusal-read-just-before',
    rule: 'The entry of an item that the table refuses rests on what was read of it before the base items.',
    changes: [
      setValue(
        'refusal-rests-on-the-entry-read-before',
        '(await context.store.get(refusalKey(touch), { consistent: true })).item',
      ),
    ],
  },
  {
    name: 'refusals-of-edges-share-an-entry',
    rule: "The entry of an item in the partition of an edge's target names the edge: other edges of the node have an item of the same sort key.",
    changes: [setValue('entry-of-an-item-elsewhere-names-its-edge', 'touch.sortKey')],
  },
];
