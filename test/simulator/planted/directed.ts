import { replace, replaceIn, setValue } from './changes.ts';
import { DIRECTED_TOTAL_MUTANTS } from './degree.ts';
import type { Mutant } from './mutant.ts';

/** Bugs that written schedules find, because random schedules find them too rarely. */
export const DIRECTED_MUTANTS: readonly Mutant[] = [
  ...DIRECTED_TOTAL_MUTANTS,
  {
    name: 'tombstone-of-minutes',
    rule: 'A tombstone outlives every write that is based on an earlier read, because a write that arrives minutes later must still fail.',
    changes: [setValue('tombstone-outlives-late-writes', '0.2')],
  },
  {
    name: 'repair-readmits-in-part',
    rule: 'An edge type that returns to an edge set returns with all of its edges.',
    changes: [replaceIn('edge-type-comes-back-whole', 'returning', '[] as string[]')],
  },
  {
    name: 'redriven-entry-deleted',
    rule: "A redrive replaces an entry with a tombstone instead of deleting it, so that the entry's revisions don't start over.",
    changes: [
      replace(
        'redriven-entry-leaves-a-tombstone',
        'const { applied } = await context.store.delete(key, unchangedCondition(item, context.graph.table.ttl));',
      ),
    ],
  },
  {
    name: 'refusal-put-blindly',
    rule: 'The quarantine entry of an item that the table refuses is written only under the revision that was read.',
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
    rule: 'The quarantine entry of an item that the table refuses is read before the base items, not just before it is written.',
    changes: [
      setValue(
        'refusal-rests-on-the-entry-read-before',
        '(await context.store.get(refusalKey(touch), { consistent: true })).item',
      ),
    ],
  },
];
