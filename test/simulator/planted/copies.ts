import { addToFile, insertAfter, insertBefore, replaceIn, setCondition, setValue } from './changes.ts';
import type { Mutant } from './mutant.ts';

const STORED_VIEW = "import { copiesByEdge, elementsByEdge } from 'src/core/items/stored-view.ts';";

/** Planted in copies of target nodes' attributes, their reverse items and the fan-out. */
export const COPY_MUTANTS: readonly Mutant[] = [
  {
    name: 'view-despite-reverse',
    rule: 'Where a reverse item could not be written the view unit of its edge does not run.',
    changes: [setCondition('no-view-without-its-reverse-items', (old) => `${old} || this.errors.length >= 0`)],
  },
  {
    name: 'parents-read-eventually',
    rule: 'Parents are read consistently for a view.',
    changes: [
      setValue(
        'parents-are-read-consistently',
        `(
    await reader.store.getMany(parents.map((parent) => ({ source: parent, target: parent })), { consistent: false })
  ).items`,
      ),
    ],
  },
  {
    name: 'copies-left-behind',
    rule: "An edge's copy goes with its element.",
    changes: [replaceIn('copy-goes-with-its-element', 'hasElement', 'true')],
  },
  {
    name: 'copies-beyond-budget',
    rule: "Copies count for the view's byte budget.",
    changes: [setValue('copies-count-for-the-budget', '0')],
  },
  {
    name: 'fan-out-leaves-no-trace',
    rule: 'A fan-out writes views that agree too, at least their revision: a worker about to write an old copy has to see it.',
    changes: [
      addToFile('fan-out-leaves-a-trace-in-every-view', STORED_VIEW),
      insertBefore(
        'fan-out-leaves-a-trace-in-every-view',
        `const kept = copiesByEdge(view).get(edgeSortKey(edge.type, parent));
  if (elementsByEdge(view).size > 0 && JSON.stringify(kept) === JSON.stringify(copy)) return undefined;`,
      ),
    ],
  },
  {
    name: 'fan-out-skips-views',
    rule: 'A fan-out writes views without the edge too: a worker about to add it has read the parent before.',
    changes: [
      addToFile('fan-out-leaves-a-trace-in-every-view', STORED_VIEW),
      insertBefore('fan-out-leaves-a-trace-in-every-view', 'if (elementsByEdge(view).size === 0) return undefined;'),
    ],
  },
  {
    name: 'fan-out-net-zero',
    rule: 'A fan-out is left out only if each of its records leaves what is copied as it is.',
    changes: [
      setCondition(
        'no-net-zero-in-fan-outs',
        (old) => `${old} || (of === 'copies' && isSame(records[0]!.oldImage, records.at(-1)!.newImage))`,
      ),
    ],
  },
  {
    name: 'fan-out-by-eventual-query',
    rule: 'The reverse items are found by a consistent Query.',
    changes: [setValue('children-are-found-consistently', 'false')],
  },
  {
    name: 'fan-out-one-page',
    rule: "A continuation's record drives the next page.",
    changes: [setCondition('continuation-drives-the-next-page', (old) => `${old} || after.length > 0`)],
  },
  {
    name: 'continuation-before-page',
    rule: 'A continuation is begun when the first page is done: else a replay of the record would take that for done.',
    changes: [
      insertBefore(
        'continuation-begins-after-the-first-page',
        `const begun = await readItem(context, { source: unit.source, target: unit.sortKey });
  const early = beginContinuationUpdate(context.graph, unit, begun, '~rev/MEMBER-GOAL-1');
  if (early === undefined) return;
  await updateItem(context, early);`,
      ),
    ],
  },
  {
    name: 'continuation-of-newer-only',
    rule: 'A record of a smaller position begins the continuation anew: positions need not rise across shards.',
    changes: [setCondition('change-begins-the-continuation-again', 'begun !== undefined && begun >= unit.newest')],
  },
  {
    name: 'continuation-not-begun-anew',
    rule: 'A change of the parent begins the continuation of an earlier one anew.',
    changes: [
      setCondition('change-begins-the-continuation-again', (old) => `${old} || current?.[AFTER] !== undefined`),
    ],
  },
  {
    name: 'continuation-moved-first',
    rule: 'A continuation is moved when its page is done.',
    changes: [
      setValue(
        'page-before-its-continuation-moves, first',
        `stringOf(
    (
      await context.store.query({
        partition: unit.source,
        sortKey: { beginsWith: new FanOutPlaces(unit.edgeType).reversePrefix },
        limit: context.fanOutPageSize,
        startKey: { source: { S: unit.source }, target: { S: unit.after } },
        consistent: true,
      })
    ).lastKey?.['target'],
  )`,
      ),
      insertAfter('page-before-its-continuation-moves, then', 'await visitPage(context, unit, unit.after);'),
    ],
  },
  {
    name: 'continuation-buried-alive',
    rule: 'A continuation that is in progress has no expiry.',
    changes: [setValue('continuation-in-progress-does-not-expire', '[]')],
  },
];
