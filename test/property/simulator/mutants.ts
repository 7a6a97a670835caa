/** A text of a source file and what stands there instead; it has to be in the file exactly once. */
export interface Patch {
  /** From the repository's root. */
  file: string;
  find: string;
  replace: string;
}

/** A planted bug: the production code with one rule of its protocol broken. */
export interface Mutant {
  name: string;
  /** The rule that it breaks, and so the reason why the rule is there. */
  rule: string;
  patches: readonly Patch[];
}

const UNITS = 'src/plan/units.ts';
const WRITES = 'src/plan/writes.ts';
const VIEW = 'src/apply/view.ts';
const INDEX_ITEM = 'src/apply/index-item.ts';
const MEMORY_UPDATE = 'src/store/memory-update.ts';

/** Planted in folding and planning. */
export const PLAN_MUTANTS: readonly Mutant[] = [
  {
    name: 'net-zero-view',
    rule: 'A view unit is left out only if each of its records leaves the view as it is, not if their sum does.',
    patches: [
      {
        file: UNITS,
        find: '  if (changing.length === 0) return undefined;',
        replace: '  if (changing.length === 0 || sameInView(steps[0]!.before, steps.at(-1)!.after)) return undefined;',
      },
    ],
  },
  {
    name: 'net-zero-index',
    rule: 'An index unit is left out only if each of its records leaves the index item as it is.',
    patches: [
      {
        file: UNITS,
        find: '    if (changing.length === 0) continue;',
        replace:
          '    if (changing.length === 0 || sameItem(steps[0]!.before.indexItems.get(sortKey), final.indexItems.get(sortKey))) continue;',
      },
    ],
  },
  {
    name: 'netted-chain',
    rule: 'Every element that any record of the batch mentions goes, not only the one before its first record.',
    patches: [
      {
        file: UNITS,
        find: '  for (const { before, after } of changing) {\n    if (before.element',
        replace:
          '  for (const { before, after } of [{ before: changing[0]!.before, after: changing.at(-1)!.after }]) {\n    if (before.element',
      },
    ],
  },
  {
    name: 'removal-unseen',
    rule: 'Removing an index item writes its tombstone even where no item is seen.',
    patches: [
      {
        file: INDEX_ITEM,
        find: '  let result = await countedUpdate',
        replace:
          '  if (unit.wanted === undefined && (await store.get({ source: unit.source, target: unit.sortKey }, { consistent: true })).item === undefined) return;\n  let result = await countedUpdate',
      },
    ],
  },
  {
    name: 'node-attributes-difference',
    rule: "A node's attributes go into the view whole, not as what the batch changed in them.",
    patches: [
      {
        file: UNITS,
        find: '    attributes: final.attributes,',
        replace:
          '    attributes: final.attributes && Object.fromEntries(Object.entries(final.attributes).filter(([name, value]) => changing[0]!.before.attributes === undefined || JSON.stringify(changing[0]!.before.attributes[name]) !== JSON.stringify(value))),\n    gone: Object.keys(changing[0]!.before.attributes ?? {}).filter((name) => final.attributes?.[name] === undefined),',
      },
      {
        file: WRITES,
        find: 'if (change.attributes === undefined) return undefined;',
        replace: 'return undefined;',
      },
      {
        file: WRITES,
        find: '      attributes = truth.attributes;',
        replace:
          '      attributes = truth.attributes && truths.get(change.target) === undefined ? { ...attributes, ...truth.attributes } : truth.attributes;\n      if (truths.get(change.target) === undefined) for (const name of change.gone) if (attributes !== undefined) delete attributes[name];',
      },
    ],
  },
  {
    name: 'node-without-attributes',
    rule: "The view's attributes are present exactly when the node is, also where there is none to show.",
    patches: [
      {
        file: 'src/plan/derive.ts',
        find: '  return { attributes: subject.project(node.view), indexItems, problems };',
        replace:
          '  const attributes = subject.project(node.view);\n  return { attributes: Object.keys(attributes).length === 0 ? undefined : attributes, indexItems, problems };',
      },
    ],
  },
  {
    name: 'elements-by-label',
    rule: 'An element tells its edge without its labels.',
    patches: [
      {
        file: 'src/model/element.ts',
        find: 'return end < 0 ? element : element.slice(0, end);',
        replace: 'return element;',
      },
    ],
  },
  {
    name: 'old-image-poison',
    rule: 'What of an old image can be derived counts, also if a part of it cannot.',
    patches: [
      {
        file: UNITS,
        find: 'before: planner.derive(record.oldImage),',
        replace:
          'before: [planner.derive(record.oldImage)].map((before) => (before.problems.length === 0 ? before : { indexItems: new Map(), problems: [] }))[0]!,',
      },
    ],
  },
  {
    name: 'watermark-unpadded',
    rule: 'Sequence numbers are padded, since they are texts of varying length.',
    patches: [
      {
        file: 'src/model/watermark.ts',
        find: "sequenceNumber.padStart(SEQUENCE_DIGITS, '0')",
        replace: 'sequenceNumber',
      },
    ],
  },
  {
    name: 'watermark-without-label',
    rule: 'A watermark begins with the label of its stream, so that a re-created stream sorts later.',
    patches: [{ file: 'src/model/watermark.ts', find: '{streamLabel}/$', replace: '{streamLabel.slice(0, 0)}/$' }],
  },
];

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
    patches: [{ file: WRITES, find: '    unset: [graph.table.ttl],', replace: '    unset: [],' }],
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
        find: "    condition: { kind: 'revision', revision: numberOf(view?.[REVISION]) },",
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
        find: '(isStale(change.oldest, view) ? undefined : change)',
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
        find: 'if (change.edgeType === undefined) return !sameItem(attributesOf(view), change.attributes);',
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
    rule: 'A stale unit always writes, if only the revision.',
    patches: [
      {
        file: VIEW,
        find: '    const result = await countedUpdate(context, update);\n    if (result.applied) return;\n    current',
        replace:
          "    const [node] = unit.changes.filter(({ edgeType }) => edgeType === undefined);\n    const sameNode = node === undefined || JSON.stringify(current?.['attributes']) === JSON.stringify(update.set['attributes']);\n    if (isStale(unit.newest, current) && sameNode && (update.setElements ?? [...update.addElements!, ...update.deleteElements!]).length === 0) return;\n    const result = await countedUpdate(context, update);\n    if (result.applied) return;\n    current",
      },
    ],
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
    patches: [{ file: WRITES, find: 'notEvicted: [...types] }', replace: 'notEvicted: [] }' }],
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
      { file: VIEW, find: 'getMany(keys, { consistent: true })', replace: 'getMany(keys, { consistent: false })' },
    ],
  },
];

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
        find: "condition: { kind: 'newer-than', watermark: unit.newest },",
        replace: "condition: { kind: 'newer-than', watermark: '~' },",
      },
    ],
  },
  {
    name: 'index-without-truth',
    rule: 'An index item that is not older than the record and says otherwise is settled by the base item.',
    patches: [{ file: INDEX_ITEM, find: 'if (isAsWanted(current, unit.wanted)) return;', replace: 'return;' }],
  },
  {
    name: 'index-revision-ignored',
    rule: "The base item's word is written to the revision of the index item that was seen.",
    patches: [
      {
        file: WRITES,
        find: "    condition: { kind: 'revision', revision: numberOf(current?.[REVISION]) },",
        replace: "    condition: { kind: 'newer-than', watermark: '~' },",
      },
    ],
  },
  {
    name: 'index-watermark-goes-back',
    rule: 'A settled index item keeps the later of its watermark and the newest record.',
    patches: [
      {
        file: WRITES,
        find: '      laterOf(stringOf(current?.[WATERMARK]), unit.newest),',
        replace: '      unit.newest,',
      },
    ],
  },
  {
    name: 'index-truth-read-eventually',
    rule: 'The base item of an index item is read consistently.',
    patches: [
      {
        file: INDEX_ITEM,
        find: 'target: unit.target }, { consistent: true }',
        replace: 'target: unit.target }, { consistent: false }',
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

/** Planted in tombstones, quarantine, errors and delivery. */
export const OTHER_MUTANTS: readonly Mutant[] = [
  {
    name: 'tombstone-deleted',
    rule: 'A derived item that is not wanted any more leaves a tombstone; it is not deleted.',
    patches: [
      {
        file: INDEX_ITEM,
        find: '  if (result.applied) return;',
        replace:
          '  if (result.applied) {\n    if (unit.wanted === undefined) await store.delete({ source: unit.source, target: unit.sortKey });\n    return;\n  }',
      },
    ],
  },
  {
    name: 'tombstone-revision-kept',
    rule: 'Writing a tombstone raises the revision.',
    patches: [
      {
        file: MEMORY_UPDATE,
        find: '  next[REVISION] =',
        replace: "  if (update.set['expiresAt'] === undefined || item[REVISION] === undefined) next[REVISION] =",
      },
    ],
  },
  {
    name: 'tombstone-revision-forgotten',
    rule: 'A tombstone keeps the revision: what comes after it must not count from one again.',
    patches: [
      {
        file: MEMORY_UPDATE,
        find: '{ N: nextRevision(item[REVISION]) };',
        replace: "{ N: nextRevision(item['expiresAt'] === undefined ? item[REVISION] : undefined) };",
      },
    ],
  },
  {
    name: 'quarantine-overwritten',
    rule: 'A quarantine entry is named by its record, so that none takes the place of another.',
    patches: [
      {
        file: 'src/model/keys.ts',
        find: '  const suffix = `/$',
        replace: '  const suffix = `/one` || `$',
      },
    ],
  },
  {
    name: 'failure-swallowed',
    rule: 'A unit that the time budget ends before it is applied is reported.',
    patches: [
      {
        file: 'src/apply/projector.ts',
        find: 'if (error !== undefined) failures.push({ unit, error });',
        replace: 'if (error !== undefined && !(error instanceof StoreError)) failures.push({ unit, error });',
      },
    ],
  },
  {
    name: 'failure-from-highest',
    rule: 'A batch fails from its lowest record that is not applied on.',
    patches: [
      {
        file: 'src/apply/projector.ts',
        find: 'record.position < failedFrom.position',
        replace: 'record.position > failedFrom.position',
      },
    ],
  },
  {
    name: 'checkpoint-before-apply',
    rule: 'A reader notes how far it came after it has applied, not before.',
    patches: [
      {
        file: 'test/property/simulator/lane.ts',
        find: "const done = answer.kind === 'done' ? answer.count : 0;",
        replace: 'const done = batch.length;',
      },
    ],
  },
];

/** Planted in the local worker, which has real timers and is not part of schedules. */
export const WORKER_MUTANTS: readonly Mutant[] = [
  {
    name: 'worker-checkpoint-before-apply',
    rule: 'The local worker notes how far it came after it has applied, not before.',
    patches: [
      {
        file: 'src/local/shard-task.ts',
        find: '    if (!(await this.applyAll(sifted.records))) return false;',
        replace:
          '    run.journal.note({ shardId, sequenceNumber: batch.sequenceNumber, finished: batch.isEnd });\n    await run.journal.flush();\n    if (!(await this.applyAll(sifted.records))) return false;',
      },
    ],
  },
];

/** Every planted bug that schedules find. */
export const MUTANTS: readonly Mutant[] = [...PLAN_MUTANTS, ...VIEW_MUTANTS, ...INDEX_MUTANTS, ...OTHER_MUTANTS];
