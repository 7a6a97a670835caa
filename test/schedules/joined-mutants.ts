import type { Mutant } from '../simulator/planted/mutant.ts';

const JOINED = 'src/apply/joined.ts';
const FAN_OUT = 'src/apply/joined-fan-out.ts';
const PROJECTOR = 'src/apply/projector.ts';
const INDEX_UNITS = 'src/plan/index-units.ts';
const PLAN = 'src/plan/fan-out.ts';

/** The first lines of the function that writes one joined item. */
const WRITE = '  const wanted = indexItems.get(sortKey);\n';
const UPDATE = '  const update = settledIndexUpdate(graph, unit, trusted, wanted, epochSeconds(context));\n';
const READ_EDGES = "  const edges = (await readRange(context, unit, '', after, pageSize))!;\n";
const READ_NODE = '  const node = await readItem(context, { source: unit.source, target: unit.source });\n';
const READ_ITEMS = '  const ranges: Range[] = [];\n';
const PAGE = '  const end = earliest([...ranges, edges].map((range) => range.end));\n';

/** Rules of index items that an edge and its source node determine together, broken one by one. */
export const JOINED_MUTANTS: readonly Mutant[] = [
  {
    name: 'joined-bases-before-item',
    rule: 'A joined item is read before the edge and the node.',
    patches: [
      {
        file: JOINED,
        find: '  const read = units.filter((unit) => !expectsNew || !isInsert(unit));\n',
        replace:
          '  const [{ source }] = units as [IndexUnit];\n  const edges = [...new Set(units.map(({ base }) => base.target))];\n  const bases = await readItems(context, [{ source, target: source }, ...edges.map((target) => ({ source, target }))]);\n  const read = units.filter((unit) => !expectsNew || !isInsert(unit));\n',
      },
      {
        file: JOINED,
        find: '  const { source } = units[0]!;\n  const edges = [...new Set(units.map(({ base }) => base.target))];\n  const bases = await readItems(context, [{ source, target: source }, ...edges.map((target) => ({ source, target }))]);\n',
        replace: '',
      },
    ],
  },
  {
    name: 'joined-revision-ignored',
    rule: 'A joined item is written under the revision seen.',
    patches: [{ file: JOINED, find: UPDATE, replace: `${UPDATE}  update.condition = { kind: 'none' };\n` }],
  },
  {
    name: 'joined-truth-kept-across-retries',
    rule: 'On a conflict the edge and the node are read again, not the item alone.',
    patches: [
      {
        file: JOINED,
        find: '    const looks = await lookAt(context, open, isFirst && expectsNew);\n',
        replace:
          '    const looks = await lookAt(context, open, isFirst && expectsNew);\n    for (const [i, unit] of open.entries()) {\n      const before = kept.get(unit);\n      if (before === undefined) kept.set(unit, looks[i]!);\n      else looks[i] = { ...before, current: looks[i]!.current };\n    }\n',
      },
      {
        file: JOINED,
        find: '  let open = units;\n',
        replace: '  let open = units;\n  const kept = new Map<IndexUnit, JoinedLook>();\n',
      },
    ],
  },
  {
    name: 'joined-agreeing-leaves-no-trace',
    rule: 'A joined item that is as edge and node want it is written too.',
    patches: [
      {
        file: JOINED,
        find: WRITE,
        replace: `${WRITE}  if (current !== undefined && isAsWanted(current, wanted)) return true;\n`,
      },
      {
        file: JOINED,
        find: "import { settledIndexUpdate } from '../plan/writes/updates.ts';",
        replace: "import { isAsWanted, settledIndexUpdate } from '../plan/writes/updates.ts';",
      },
    ],
  },
  {
    name: 'joined-absent-leaves-no-tombstone',
    rule: 'A joined item that is not wanted becomes a tombstone, also where nothing was.',
    patches: [
      {
        file: JOINED,
        find: WRITE,
        replace: `${WRITE}  if (current === undefined && wanted === undefined) return true;\n`,
      },
    ],
  },
  {
    name: 'joined-net-zero',
    rule: "An edge's joined items are left alone only where each record gives the same.",
    patches: [
      {
        file: INDEX_UNITS,
        find: '    const changing = steps.filter(({ before, after }) => !sameShare(before.shares?.[i], after.shares?.[i]));\n',
        replace:
          '    const changing = sameShare(steps[0]!.before.shares?.[i], steps.at(-1)!.after.shares?.[i]) ? [] : [...steps];\n',
      },
    ],
  },
  {
    name: 'joined-node-net-zero',
    rule: "A node's change fans out unless each record gives the same.",
    patches: [
      {
        file: PLAN,
        find: "      along('joined', type, (before, after) => givesTheSame(graph, source, type, before, after)),",
        replace:
          "      givesTheSame(graph, source, type, records[0]?.oldImage, records.at(-1)?.newImage) ? [] : along('joined', type, () => false),",
      },
    ],
  },
  {
    name: 'joined-edges-before-items',
    rule: 'A fan-out to joined items queries them before the base edges.',
    patches: [
      { file: FAN_OUT, find: READ_EDGES, replace: '' },
      { file: FAN_OUT, find: READ_ITEMS, replace: `${READ_EDGES}${READ_ITEMS}` },
    ],
  },
  {
    name: 'joined-node-before-items',
    rule: 'A fan-out to joined items reads the node after the items and the base edges.',
    patches: [
      { file: FAN_OUT, find: READ_NODE, replace: '' },
      { file: FAN_OUT, find: READ_ITEMS, replace: `${READ_NODE}${READ_ITEMS}` },
    ],
  },
  {
    name: 'joined-ranges-read-eventually',
    rule: 'A fan-out to joined items queries consistently.',
    patches: [{ file: FAN_OUT, find: '    consistent: true,\n', replace: '    consistent: false,\n' }],
  },
  {
    name: 'joined-skips-absent',
    rule: 'A fan-out settles an edge also where its item is absent.',
    patches: [
      {
        file: FAN_OUT,
        find: '      units.push(indexUnit(unit, target, sortKey));\n',
        replace:
          '      if (range !== undefined && range.items.get(target) === undefined) continue;\n      units.push(indexUnit(unit, target, sortKey));\n',
      },
    ],
  },
  {
    name: 'joined-page-ends-at-edges',
    rule: 'A page of a fan-out to joined items ends at the shortest of its ranges.',
    patches: [
      { file: FAN_OUT, find: PAGE, replace: '  const end = edges.end;\n' },
      {
        file: FAN_OUT,
        find: '      const range = ranges.find(({ prefix }) => prefix + target === sortKey);\n',
        replace:
          '      const range = ranges.find(({ prefix }) => prefix + target === sortKey);\n      if (range?.end !== undefined && compareKeys(target, range.end) > 0) continue;\n',
      },
    ],
  },
  {
    name: 'joined-continuation-of-copies',
    rule: 'Fan-outs of copies and to joined items along one edge type go on apart.',
    patches: [
      {
        file: PLAN,
        find: "  return of === 'copies' ? continuationKey(edgeType) : sourceContinuationKey(edgeType);",
        replace:
          "  return of === 'copies' || of === 'joined' ? continuationKey(edgeType) : sourceContinuationKey(edgeType);",
      },
    ],
  },
  {
    name: 'joined-edge-left-to-node',
    rule: "An edge's record settles its items, though its node's record in the same batch fans out.",
    patches: [
      {
        file: PROJECTOR,
        find: "      const joined = units.filter(({ kind }) => kind === 'joined');\n",
        replace:
          "      const fanned = new Set(units.flatMap((unit) => (unit.kind === 'fan-out' ? [unit.source] : [])));\n      const joined = units.filter(({ kind, source }) => kind === 'joined' && !fanned.has(source));\n",
      },
    ],
  },
  {
    name: 'joined-node-sets-watermark',
    rule: "A joined item's watermark is that of its edge's newest record; a node's record leaves it alone.",
    patches: [
      {
        file: FAN_OUT,
        find: "function indexUnit({ source, records }: Unit, target: string, sortKey: string): IndexUnit {\n  const position = { oldest: '', newest: '' };\n",
        replace:
          'function indexUnit({ source, records, oldest, newest }: Unit, target: string, sortKey: string): IndexUnit {\n  const position = { oldest, newest };\n',
      },
    ],
  },
  {
    name: 'joined-settled-for-ever',
    rule: 'A fan-out leaves alone only what its own batch has settled.',
    patches: [
      {
        file: PROJECTOR,
        find: '      context.settled = new Set();\n',
        replace: '      context.settled = settledEver;\n',
      },
      {
        file: PROJECTOR,
        find: '/** Counts quarantine entries by their code. */',
        replace: 'const settledEver = new Set<string>();\n/** Counts quarantine entries by their code. */',
      },
    ],
  },
  {
    name: 'joined-later-place',
    rule: 'A continuation that begins keeps the earlier of its own place and the one in progress.',
    patches: [
      {
        file: PLAN,
        find: 'inProgress === undefined || compareKeys(place, inProgress) < 0 ? place : inProgress',
        replace: 'inProgress === undefined || compareKeys(place, inProgress) > 0 ? place : inProgress',
      },
    ],
  },
];
