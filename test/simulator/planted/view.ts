import { addToFile, dropElse, insertAfter, insertBefore, replaceIn, setCondition } from './changes.ts';
import type { Mutant } from './mutant.ts';

/** Planted in the application of views. */
export const VIEW_MUTANTS: readonly Mutant[] = [
  {
    name: 'slow-path-keeps-expiry',
    rule: 'A write of the slow path, or of an index item, removes the expiry.',
    changes: [dropElse('only-a-tombstone-expires')],
  },
  {
    name: 'truth-kept-across-retries',
    rule: 'On a conflict the base items are read again.',
    changes: [
      addToFile(
        'base-items-are-read-after-the-view',
        'const keptTruths = new WeakMap<ViewUnit, Map<string, Truth>>();',
      ),
      insertBefore(
        'base-items-are-read-after-the-view',
        `const kept = keptTruths.get(unit) ?? new Map<string, Truth>();
  keptTruths.set(unit, kept);`,
      ),
      replaceIn(
        'base-items-are-read-after-the-view',
        'contradictingChanges(unit, current)',
        (old) => `${old}.filter(({ target }) => !kept.has(target))`,
      ),
      insertAfter(
        'base-items-are-read-after-the-view',
        `for (const [target, truth] of truths) kept.set(target, truth);
  for (const [target, truth] of kept) truths.set(target, truth);`,
      ),
    ],
  },
  {
    name: 'truth-before-view',
    rule: 'The view is read first and the base items after it.',
    changes: [
      replaceIn('base-items-are-read-after-the-view', 'contradictingChanges(unit, current)', 'unit.changes'),
      insertBefore('view-before-parents, first', 'let late: Item | undefined;'),
      insertAfter(
        'base-items-are-read-after-the-view',
        `late = (await context.store.get({ source: unit.source, target: unit.sortKey }, { consistent: true })).item;
  const wrong = new Set(contradictingChanges(unit, late).map(({ target }) => target));
  for (const target of truths.keys()) if (!wrong.has(target)) truths.delete(target);`,
      ),
      insertBefore('stale-unit-leaves-a-trace', 'return slowViewUpdate(graph, unit, late, truths, now, parents);'),
    ],
  },
  {
    name: 'full-view-as-tombstone',
    rule: 'A view with a set that is not empty is never a tombstone.',
    changes: [replaceIn('only-an-empty-view-is-a-tombstone', 'expected.length === 0', 'true')],
  },
  {
    name: 'mark-as-tombstone',
    rule: 'A view with a mark of eviction is never a tombstone.',
    changes: [replaceIn('only-an-empty-view-is-a-tombstone', 'evicted.size === 0', 'true')],
  },
  {
    name: 'eviction-unseen',
    rule: 'A write of the fast path whose capacity tells of too large a view is followed by an eviction.',
    changes: [setCondition('too-large-a-view-is-evicted', (old) => `${old} || source !== ''`)],
  },
];
