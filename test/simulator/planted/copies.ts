import type { Mutant } from './mutant.ts';

const PROJECTOR = 'src/apply/projector.ts';
const VIEW = 'src/apply/view.ts';
const FAN_OUT = 'src/apply/fan-out.ts';
const PLAN = 'src/plan/fan-out.ts';
const COPIES = 'src/plan/copies.ts';

/** Planted in copies of target nodes' attributes, their reverse items and the fan-out. */
export const COPY_MUTANTS: readonly Mutant[] = [
  {
    name: 'reverse-after-view',
    rule: "An edge's reverse item is written before the parent is read for its child's view.",
    patches: [
      {
        file: PROJECTOR,
        find: '      await pMap(reverse, (unit) => run({ unit }), { concurrency });\n',
        replace: '',
      },
      {
        file: PROJECTOR,
        find: '      await pMap(withPrefetch(context, others), run, { concurrency });\n',
        replace:
          '      await pMap(withPrefetch(context, others), run, { concurrency });\n      await pMap(reverse, (unit) => run({ unit }), { concurrency });\n',
      },
    ],
  },
  {
    name: 'view-despite-reverse',
    rule: 'Where a reverse item could not be written the view unit of its edge does not run.',
    patches: [
      {
        file: PROJECTOR,
        find: "if (unit.kind !== 'view') return undefined;",
        replace: 'if (unit !== undefined) return undefined;',
      },
    ],
  },
  {
    name: 'parent-before-view',
    rule: "For a child's view unit the view is read first and the parents after it.",
    patches: [
      {
        file: VIEW,
        find: '  let current: Item | undefined;\n  const fast',
        replace:
          '  let current: Item | undefined;\n  const early = new Map(await readCopies(context, unit.changes.map(({ target }) => target)));\n  if (prefetched !== undefined) prefetched.item = await readView(context, unit.source);\n  const fast',
      },
      {
        file: VIEW,
        find: '    const parents = await readParents(context, unit, current, truths);\n',
        replace:
          '    const parents = new Map([...(await readParents(context, unit, current, truths))].map(([edge, copy]) => [edge, early.has(edge) ? early.get(edge) : copy]));\n    early.clear();\n',
      },
    ],
  },
  {
    name: 'parents-kept-across-retries',
    rule: 'On a conflict the parents are read again.',
    patches: [
      {
        file: VIEW,
        find: '  for (;;) {\n    checkTime(context);',
        replace: '  const kept = new Map();\n  for (;;) {\n    checkTime(context);',
      },
      {
        file: VIEW,
        find: '    const parents = await readParents(context, unit, current, truths);\n',
        replace:
          '    const parents = new Map([...(await readParents(context, unit, current, truths)), ...kept]);\n    for (const [edge, copy] of parents) kept.set(edge, copy);\n',
      },
    ],
  },
  {
    name: 'parents-read-eventually',
    rule: 'Parents are read consistently for a view.',
    patches: [
      {
        file: 'src/apply/copies.ts',
        find: 'await readItems(\n    reader,\n    parents.map((parent) => ({ source: parent, target: parent })),\n  );',
        replace:
          '(await reader.store.getMany(parents.map((parent) => ({ source: parent, target: parent })), { consistent: false })).items;',
      },
    ],
  },
  {
    name: 'copies-left-behind',
    rule: "An edge's copy goes with its element.",
    patches: [
      {
        file: COPIES,
        find: 'copy !== undefined && hasElement &&',
        replace: 'copy !== undefined && hasElement !== undefined &&',
      },
    ],
  },
  {
    name: 'copies-beyond-budget',
    rule: "Copies count for the view's byte budget.",
    patches: [
      {
        file: 'src/plan/writes/eviction.ts',
        find: '    const bytes = copyBytes(edge, copy);',
        replace: '    const bytes = 0 * copyBytes(edge, copy);',
      },
    ],
  },
  {
    name: 'fan-out-parent-before-views',
    rule: "A fan-out reads the children's views first and the parent after them.",
    patches: [
      {
        file: FAN_OUT,
        find: '  const views = await readItems(context, keys);\n',
        replace:
          '  const copy = await readCopy(context, edge, unit.source);\n  const views = await readItems(context, keys);\n',
      },
      {
        file: FAN_OUT,
        find: '  const copy = await readCopy(context, edge, unit.source);\n  const failures',
        replace: '  const failures',
      },
    ],
  },
  {
    name: 'fan-out-copy-kept',
    rule: 'Where a child was changed meanwhile the parent is read again after its view.',
    patches: [
      {
        file: FAN_OUT,
        find: 'seen = { view: result.current, copy: await readCopy(context, edge, parent) };',
        replace: 'seen = { view: result.current, copy: seen.copy };',
      },
    ],
  },
  {
    name: 'fan-out-of-the-image',
    rule: 'A fan-out brings what the parent is, not what a record says it was.',
    patches: [
      {
        file: FAN_OUT,
        find: '  const copy = await readCopy(context, edge, unit.source);\n  const failures',
        replace:
          '  const image = unit.records.at(-1)?.newImage;\n  const copy = unit.kind === "fan-out" ? copyOf(context.graph, edge, image) : await readCopy(context, edge, unit.source);\n  const failures',
      },
    ],
  },
  {
    name: 'fan-out-leaves-no-trace',
    rule: 'A fan-out writes views that agree too, at least their revision: a worker about to write an old copy has to see it.',
    patches: [
      {
        file: FAN_OUT,
        find: '    const update = isOfOtherShape(graph, child, seen.view)',
        replace:
          "    const present = seen.view?.['edgeSet']?.SS ?? [];\n    const kept = seen.view?.['copies']?.M?.[edgeSortKey(edge.type, parent)]?.M;\n    if (present.length > 0 && JSON.stringify(kept) === JSON.stringify(seen.copy)) return;\n    const update = isOfOtherShape(graph, child, seen.view)",
      },
    ],
  },
  {
    name: 'fan-out-skips-views',
    rule: 'A fan-out writes views without the edge too: a worker about to add it has read the parent before.',
    patches: [
      {
        file: FAN_OUT,
        find: '    const update = isOfOtherShape(graph, child, seen.view)',
        replace:
          "    if ((seen.view?.['edgeSet']?.SS ?? []).length === 0) return;\n    const update = isOfOtherShape(graph, child, seen.view)",
      },
    ],
  },
  {
    name: 'fan-out-net-zero',
    rule: 'A fan-out is left out only if each of its records leaves what is copied as it is.',
    patches: [
      {
        file: PLAN,
        find: '    return changing.length === 0 ? []',
        replace: '    return changing.length === 0 || isSame(records[0]!.oldImage, records.at(-1)!.newImage) ? []',
      },
    ],
  },
  {
    name: 'fan-out-by-eventual-query',
    rule: 'The reverse items are found by a consistent Query.',
    patches: [{ file: FAN_OUT, find: '    consistent: true,\n  });', replace: '    consistent: false,\n  });' }],
  },
  {
    name: 'fan-out-one-page',
    rule: "A continuation's record drives the next page.",
    patches: [
      {
        file: PLAN,
        find: '  if (after === undefined || !isKept) return undefined;',
        replace: '  if (after !== undefined || !isKept) return undefined;',
      },
    ],
  },
  {
    name: 'continuation-before-page',
    rule: 'A continuation is begun when the first page is done: else a replay of the record would take that for done.',
    patches: [
      {
        file: FAN_OUT,
        find: '  const after = await visitPage(context, unit, undefined);\n',
        replace:
          '  const early = beginUpdate(context.graph, unit, await readItem(context, { source: unit.source, target: unit.sortKey }), "~rev/MEMBER-GOAL-1");\n  if (early === undefined) return;\n  await updateItem(context, early);\n  const after = await visitPage(context, unit, undefined);\n',
      },
    ],
  },
  {
    name: 'continuation-of-newer-only',
    rule: 'A record of a smaller position begins the continuation anew: positions need not rise across shards.',
    patches: [
      {
        file: PLAN,
        find: '  if (begun === unit.newest) return undefined;',
        replace: '  if (begun !== undefined && begun >= unit.newest) return undefined;',
      },
    ],
  },
  {
    name: 'continuation-not-begun-anew',
    rule: 'A change of the parent begins the continuation of an earlier one anew.',
    patches: [
      {
        file: PLAN,
        find: '  if (begun === unit.newest) return undefined;',
        replace: '  if (begun === unit.newest || current?.[AFTER] !== undefined) return undefined;',
      },
    ],
  },
  {
    name: 'continuation-revision-ignored',
    rule: 'A continuation is moved only from the revision of the record that drives it.',
    patches: [
      {
        file: PLAN,
        find: "    condition: { kind: 'revision', revision: unit.revision },",
        replace: "    condition: { kind: 'newer-than', watermark: '~' },",
      },
    ],
  },
  {
    name: 'continuation-moved-first',
    rule: 'A continuation is moved when its page is done.',
    patches: [
      {
        file: FAN_OUT,
        find: '  const after = await visitPage(context, unit, unit.after);\n  checkTime(context);\n  await updateItem(context, moveUpdate(context.graph, unit, after, epochSeconds(context)));\n',
        replace:
          "  const children = await context.store.query({ partition: unit.source, sortKey: { beginsWith: reversePrefix(unit.edgeType) }, limit: context.fanOutPageSize, startKey: { source: { S: unit.source }, target: { S: unit.after } }, consistent: true });\n  await updateItem(context, moveUpdate(context.graph, unit, children.lastKey?.['target']?.S, epochSeconds(context)));\n  await visitPage(context, unit, unit.after);\n",
      },
    ],
  },
  {
    name: 'continuation-buried-alive',
    rule: 'A continuation that is in progress has no expiry.',
    patches: [{ file: PLAN, find: '    unset: [graph.table.ttl],\n', replace: '    unset: [],\n' }],
  },
];
