import { addToFile, insertBefore, moveAhead, replaceIn, setCondition, setValue } from '../../planted/changes.ts';
import type { Mutant } from '../../planted/mutant.ts';

/** Rules of index items that an edge and its source node determine together, broken one by one. */
export const JOINED_MUTANTS: readonly Mutant[] = [
  {
    name: 'joined-bases-before-item',
    rule: 'A joined item is read before the edge and the node.',
    changes: [
      addToFile('joined-item-before-its-bases, first', 'const early = new WeakMap<object, Bases[]>();'),
      setValue(
        'joined-item-before-its-bases, first',
        (old) => `async (open: readonly IndexUnit[], attempt: number) => {
          early.set(open, await readBases(context, open));
          return await (${old})(open, attempt);
        }`,
      ),
      setValue('joined-item-before-its-bases, then', 'async (open: readonly IndexUnit[]) => early.get(open)!'),
    ],
  },
  {
    name: 'joined-revision-ignored',
    rule: 'A joined item is written under the revision seen.',
    changes: [
      setValue(
        'joined-item-is-written-under-the-revision-seen',
        (old) => `{ ...${old}, condition: { kind: 'none' } as const }`,
      ),
    ],
  },
  {
    name: 'joined-truth-kept-across-retries',
    rule: 'On a conflict the edge and the node are read again, not the item alone.',
    changes: [
      addToFile(
        'joined-item-is-looked-at-again-after-a-conflict',
        'const keptBases = new WeakMap<IndexUnit, Bases>();',
      ),
      setValue(
        'joined-item-is-looked-at-again-after-a-conflict',
        (old) => `async (open: readonly IndexUnit[]) => {
    const bases = await (${old})(open);
    return open.map((unit, i) => keptBases.get(unit) ?? (keptBases.set(unit, bases[i]!), bases[i]!));
  }`,
      ),
    ],
  },
  {
    name: 'joined-agreeing-leaves-no-trace',
    rule: 'A joined item that is as edge and node want it is written too.',
    changes: [
      addToFile(
        'joined-item-always-leaves-a-trace',
        "import { hasExpectedFields as isAlready } from 'src/core/plan/writes/index-update.ts';",
      ),
      insertBefore(
        'joined-item-always-leaves-a-trace',
        'if (current !== undefined && isAlready(current, expected)) return true;',
      ),
    ],
  },
  {
    name: 'joined-absent-leaves-no-tombstone',
    rule: 'A joined item that is not wanted becomes a tombstone, also where nothing was.',
    changes: [
      insertBefore(
        'joined-item-always-leaves-a-trace',
        'if (current === undefined && expected === undefined) return true;',
      ),
    ],
  },
  {
    name: 'joined-net-zero',
    rule: "An edge's joined items are left alone only where each record gives the same.",
    changes: [
      setValue(
        'no-net-zero-in-joined-items',
        'sameShare(steps[0]!.before.shares?.[i], steps.at(-1)!.after.shares?.[i]) ? [] : [...steps]',
      ),
    ],
  },
  {
    name: 'joined-node-net-zero',
    rule: "A node's change fans out unless each record gives the same.",
    changes: [
      setCondition(
        'no-net-zero-in-fan-outs',
        (old) => `${old} || (of === 'joined' && isSame(records[0]?.oldImage, records.at(-1)?.newImage))`,
      ),
    ],
  },
  {
    name: 'joined-edges-before-items',
    rule: 'A fan-out to joined items queries them before the base edges.',
    changes: [moveAhead('joined-items-before-edges')],
  },
  {
    name: 'joined-node-before-items',
    rule: 'A fan-out to joined items reads the node after the items and the base edges.',
    changes: [moveAhead('joined-items-before-the-node')],
  },
  {
    name: 'joined-ranges-read-eventually',
    rule: 'A fan-out to joined items queries consistently.',
    changes: [setValue('joined-ranges-are-read-consistently', 'false')],
  },
  {
    name: 'joined-skips-absent',
    rule: 'A fan-out settles an edge also where its item is absent.',
    changes: [
      insertBefore(
        'edge-without-its-joined-item-is-reconciled',
        'if (range !== undefined && range.items.get(target) === undefined) continue;',
      ),
    ],
  },
  {
    name: 'joined-page-ends-at-edges',
    rule: 'A page of a fan-out to joined items ends at the shortest of its ranges.',
    changes: [
      setValue('page-ends-with-its-shortest-range', 'edges.end'),
      insertBefore(
        'edge-without-its-joined-item-is-reconciled',
        'if (range?.end !== undefined && compareKeys(target, range.end) > 0) continue;',
      ),
    ],
  },
  {
    name: 'joined-continuation-of-copies',
    rule: 'Fan-outs of copies and to joined items along one edge type go on apart.',
    changes: [setCondition('fan-outs-of-a-type-go-on-apart', 'true')],
  },
  {
    name: 'joined-edge-left-to-node',
    rule: "An edge's record settles its items, though its node's record in the same batch fans out.",
    changes: [
      setValue(
        'edge-reconciles-its-joined-items',
        (old) =>
          `${old}.filter(({ source }) => !units.some((unit) => unit.kind === 'fan-out' && unit.source === source))`,
      ),
    ],
  },
  {
    name: 'joined-node-sets-watermark',
    rule: "A joined item's watermark is that of its edge's newest record; a node's record leaves it alone.",
    changes: [
      addToFile('node-moves-no-watermark-of-joined-items', "import { positionSpan } from 'src/core/plan/unit.ts';"),
      setValue(
        'node-moves-no-watermark-of-joined-items',
        (old) => `records.length > 0 ? positionSpan(records) : ${old}`,
      ),
    ],
  },
  {
    name: 'joined-settled-for-ever',
    rule: 'A fan-out leaves alone only what its own batch has settled.',
    changes: [
      addToFile('only-this-batch-counts-as-reconciled', 'const settledEver = new Set<string>();'),
      setValue('only-this-batch-counts-as-reconciled', 'settledEver'),
    ],
  },
  {
    name: 'joined-without-a-further-round',
    rule: 'A change of the node that meets a fan-out under way gets a round of its own, when that is at its end.',
    changes: [setValue('change-during-a-fan-out-gets-a-round', 'after')],
  },
  {
    name: 'joined-later-place',
    rule: 'A continuation that begins keeps the earlier of its own place and the one in progress.',
    changes: [
      replaceIn(
        'continuation-keeps-the-earlier-place',
        'compareKeys(place, inProgress) < 0',
        'compareKeys(place, inProgress) > 0',
      ),
    ],
  },
];
