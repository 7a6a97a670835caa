import type { Mutant } from './mutant.ts';

const WRITES = 'src/plan/writes/updates.ts';
const VIEW = 'src/apply/view.ts';

/** Planted in the application of views. */
export const VIEW_MUTANTS: readonly Mutant[] = [
  {
    name: 'watermark-not-written',
    rule: 'Every write of the fast path takes the watermark along.',
    patches: [
      {
        file: WRITES,
        find: '  const set: Item = { [WATERMARK]: { S: unit.newest }, [MODEL]',
        replace: '  const set: Item = { [MODEL]',
      },
    ],
  },
  {
    name: 'fast-path-or-equal',
    rule: 'A record at the very watermark is not newer than the view: `<`, not `<=`.',
    patches: [
      { file: WRITES, find: 'watermark: unit.oldest, notEvicted', replace: "watermark: unit.oldest + '/', notEvicted" },
    ],
  },
  {
    name: 'fast-path-unconditional',
    rule: 'The fast path is for records newer than the view only.',
    patches: [{ file: WRITES, find: 'watermark: unit.oldest, notEvicted', replace: "watermark: '~', notEvicted" }],
  },
  {
    name: 'fast-path-keeps-expiry',
    rule: 'A write of the fast path removes the expiry, or TTL buries a live view.',
    patches: [
      {
        file: WRITES,
        find: '    unset: [graph.table.ttl],\n    addElements: added,',
        replace: '    unset: [],\n    addElements: added,',
      },
    ],
  },
  {
    name: 'slow-path-keeps-expiry',
    rule: 'A write of the slow path, or of an index item, removes the expiry.',
    patches: [{ file: WRITES, find: '  else unset.push(graph.table.ttl);', replace: '' }],
  },
  {
    name: 'view-revision-ignored',
    rule: 'The slow path writes only to the revision that it has seen.',
    patches: [
      {
        file: WRITES,
        find: '    condition: unchanged(view),',
        replace: "    condition: { kind: 'newer-than', watermark: '~' },",
      },
    ],
  },
  {
    name: 'contradiction-record-wins',
    rule: 'Where an older record says otherwise than the view, the base item decides, not the record.',
    patches: [
      {
        file: WRITES,
        find: '(isAllStale || isStale(change.oldest, view) ? undefined : change)',
        replace: 'change',
      },
      {
        file: VIEW,
        find: 'await readTruths(context, unit, contradictions(unit, current))',
        replace: 'await readTruths(context, unit, [])',
      },
    ],
  },
  {
    name: 'contradiction-view-wins',
    rule: 'Where an older record says otherwise than the view, the base item decides, not the view.',
    patches: [
      {
        file: VIEW,
        find: 'await readTruths(context, unit, contradictions(unit, current))',
        replace: 'await readTruths(context, unit, [])',
      },
    ],
  },
  {
    name: 'contradiction-of-edges-only',
    rule: "The node's attributes and its presence can be contradicted like an edge.",
    patches: [
      {
        file: WRITES,
        find: 'if (change.edgeType === undefined) return !sameItem(viewAttributes(view), change.attributes);',
        replace: 'if (change.edgeType === undefined) return false;',
      },
    ],
  },
  {
    name: 'truth-kept-across-retries',
    rule: 'On a conflict the base items are read again.',
    patches: [
      {
        file: VIEW,
        find: '  for (;;) {\n    checkTime(context);',
        replace: '  const kept = new Map();\n  for (;;) {\n    checkTime(context);',
      },
      {
        file: VIEW,
        find: 'await readTruths(context, unit, contradictions(unit, current));',
        replace:
          'await readTruths(context, unit, contradictions(unit, current).filter(({ target }) => !kept.has(target)));\n    for (const [target, truth] of truths) kept.set(target, truth);\n    for (const [target, truth] of kept) truths.set(target, truth);',
      },
    ],
  },
  {
    name: 'removal-unseen-view',
    rule: 'A unit that only removes is written even where there is no view: it fences off what is late.',
    patches: [
      {
        file: VIEW,
        find: '  let current: Item | undefined;\n',
        replace:
          '  let current: Item | undefined;\n  const onlyRemoves = unit.changes.every(({ element, attributes }) => element === undefined && attributes === undefined);\n  if (onlyRemoves && (await readView(context, unit.source)) === undefined) return;\n',
      },
    ],
  },
  {
    name: 'truth-before-view',
    rule: 'The view is read first and the base items after it.',
    patches: [
      {
        file: VIEW,
        find: 'await readTruths(context, unit, contradictions(unit, current));',
        replace:
          'await readTruths(context, unit, unit.changes);\n    current = (await context.store.get({ source: unit.source, target: unit.sortKey }, { consistent: true })).item;\n    const wrong = new Set(contradictions(unit, current).map(({ target }) => target));\n    for (const target of truths.keys()) if (!wrong.has(target)) truths.delete(target);',
      },
    ],
  },
  {
    name: 'stale-unit-leaves-no-trace',
    rule: 'A stale unit always writes, at least the revision.',
    patches: [
      {
        file: VIEW,
        find: '    const result = await updateItem(context, update);\n    if (result.applied) return context.evicted?.note(unit.source, evictedTypes(update.set));\n    current',
        replace:
          "    const [node] = unit.changes.filter(({ edgeType }) => edgeType === undefined);\n    const sameNode = node === undefined || JSON.stringify(current?.['attributes']) === JSON.stringify(update.set['attributes']);\n    if (isStale(unit.newest, current) && sameNode && (update.setElements ?? [...update.addElements!, ...update.deleteElements!]).length === 0) return;\n    const result = await updateItem(context, update);\n    if (result.applied) return context.evicted?.note(unit.source, evictedTypes(update.set));\n    current",
      },
    ],
  },
  {
    name: 'replay-skips-eviction',
    rule: 'A plain replay writes where the view is beyond its budget: the first try may have died before it evicted.',
    patches: [{ file: VIEW, find: ' && !movesElements(update)', replace: '' }],
  },
  {
    name: 'watermark-goes-back',
    rule: 'The slow path writes the later of the watermark that it has seen and its newest record.',
    patches: [
      {
        file: WRITES,
        find: 'laterOf(stringOf(view?.[WATERMARK]), unit.newest)',
        replace: 'unit.newest',
      },
    ],
  },
  {
    name: 'full-view-as-tombstone',
    rule: 'A view with a set that is not empty is never a tombstone.',
    patches: [
      {
        file: WRITES,
        find: 'const isEmpty = wanted.length === 0 && attributes',
        replace: 'const isEmpty = attributes',
      },
    ],
  },
  {
    name: 'evicted-refills',
    rule: 'The fast path is closed to edge types that are marked as evicted.',
    patches: [{ file: WRITES, find: 'notEvicted: [...types], shape', replace: 'notEvicted: [], shape' }],
  },
  {
    name: 'mark-as-tombstone',
    rule: 'A view with a mark of eviction is never a tombstone.',
    patches: [{ file: WRITES, find: ' && evicted.size === 0;', replace: ';' }],
  },
  {
    name: 'eviction-unseen',
    rule: 'A write of the fast path whose capacity tells of too large a view is followed by an eviction.',
    patches: [{ file: VIEW, find: '  if (!isOverBudget(', replace: "  if (source !== '' || !isOverBudget(" }],
  },
  {
    name: 'eviction-revision-ignored',
    rule: 'An eviction is written only to the revision that it has seen.',
    patches: [
      {
        file: VIEW,
        find: 'const update = evictionUpdate(graph, source, view, epochSeconds(context));',
        replace:
          "const seen = evictionUpdate(graph, source, view, epochSeconds(context));\n    const update = seen && { ...seen, condition: { kind: 'newer-than' as const, watermark: '~' } };",
      },
    ],
  },
  {
    name: 'truth-read-eventually',
    rule: 'The base items of a view are read consistently.',
    patches: [
      {
        file: VIEW,
        find: 'await readItems(context, keys)',
        replace: '(await context.store.getMany(keys, { consistent: false })).items',
      },
    ],
  },
];
