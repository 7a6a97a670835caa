import {
  addToFile,
  dropElse,
  dropProperty,
  insertAfter,
  insertBefore,
  replaceIn,
  setCondition,
  setProperty,
  setValue,
} from './changes.ts';
import type { Mutant } from './mutant.ts';

/** Planted in the application of views. */
export const VIEW_MUTANTS: readonly Mutant[] = [
  {
    name: 'watermark-not-written',
    rule: 'Every write of the fast path takes the watermark along.',
    changes: [dropProperty('fast-write-moves-watermark', '[WATERMARK]')],
  },
  {
    name: 'fast-path-or-equal',
    rule: 'A record at the very watermark is not newer than the view: `<`, not `<=`.',
    changes: [setProperty('fast-path-is-for-newer-records', 'watermark', (old) => `${old} + '/'`)],
  },
  {
    name: 'fast-path-unconditional',
    rule: 'The fast path is for records newer than the view only.',
    changes: [setProperty('fast-path-is-for-newer-records', 'watermark', "'~'")],
  },
  {
    name: 'fast-path-keeps-expiry',
    rule: 'A write of the fast path removes the expiry, or TTL buries a live view.',
    changes: [setValue('fast-write-removes-expiry', '[]')],
  },
  {
    name: 'slow-path-keeps-expiry',
    rule: 'A write of the slow path, or of an index item, removes the expiry.',
    changes: [dropElse('only-a-tombstone-expires')],
  },
  {
    name: 'view-revision-ignored',
    rule: 'The slow path writes only to the revision that it has seen.',
    changes: [setValue('view-is-written-under-the-revision-seen', "{ kind: 'newer-than', watermark: '~' }")],
  },
  {
    name: 'contradiction-record-wins',
    rule: 'Where an older record says otherwise than the view, the base item decides, not the record.',
    changes: [
      setCondition('stale-record-needs-a-truth', 'false'),
      replaceIn('contradictions-are-reconciled-by-base-items', 'contradictingChanges(unit, current)', '[]'),
    ],
  },
  {
    name: 'contradiction-view-wins',
    rule: 'Where an older record says otherwise than the view, the base item decides, not the view.',
    changes: [replaceIn('contradictions-are-reconciled-by-base-items', 'contradictingChanges(unit, current)', '[]')],
  },
  {
    name: 'contradiction-of-edges-only',
    rule: "The node's attributes and its presence can be contradicted like an edge.",
    changes: [replaceIn('node-can-contradict-the-view', '!sameItem(viewAttributes(view), change.attributes)', 'false')],
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
    name: 'removal-unseen-view',
    rule: 'A unit that only removes is written even where there is no view: it fences off what is late.',
    changes: [
      insertBefore(
        'removal-is-written-where-no-view-is',
        `const onlyRemoves = unit.changes.every(({ element, attributes }) => element === undefined && attributes === undefined);
  if (onlyRemoves && (await readView(context, unit.source)) === undefined) return;`,
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
    name: 'stale-unit-leaves-no-trace',
    rule: 'A stale unit always writes, at least the revision.',
    changes: [
      insertBefore(
        'stale-unit-leaves-a-trace',
        `const node = unit.changes.find(({ edgeType }) => edgeType === undefined);
  const text = (item: Item | undefined): string | undefined => JSON.stringify(item?.['attributes']);
  const isSameNode = node === undefined || text(current) === text(update.set);
  if (isStale(unit.newest, current) && isSameNode && !changesElements(update)) return;`,
      ),
    ],
  },
  {
    name: 'replay-skips-eviction',
    rule: 'A plain replay writes where the view is beyond its budget: the first try may have died before it evicted.',
    changes: [replaceIn('replay-still-evicts', '!changesElements(update)', 'true')],
  },
  {
    name: 'watermark-goes-back',
    rule: 'The slow path writes the later of the watermark that it has seen and its newest record.',
    changes: [setValue('view-watermark-never-falls', 'unit.newest')],
  },
  {
    name: 'full-view-as-tombstone',
    rule: 'A view with a set that is not empty is never a tombstone.',
    changes: [replaceIn('only-an-empty-view-is-a-tombstone', 'expected.length === 0', 'true')],
  },
  {
    name: 'evicted-refills',
    rule: 'The fast path is closed to edge types that are marked as evicted.',
    changes: [setProperty('fast-path-spares-evicted-types', 'notEvicted', '[]')],
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
  {
    name: 'eviction-revision-ignored',
    rule: 'An eviction is written only to the revision that it has seen.',
    changes: [
      setValue(
        'eviction-is-written-under-the-revision-seen',
        (old) =>
          `[${old}].map((seen) => seen && { ...seen, condition: { kind: 'newer-than', watermark: '~' } as const })[0]`,
      ),
    ],
  },
  {
    name: 'truth-read-eventually',
    rule: 'The base items of a view are read consistently.',
    changes: [
      setValue(
        'base-items-of-a-view-are-read-consistently',
        '(await context.store.getMany(keys, { consistent: false })).items',
      ),
    ],
  },
];
