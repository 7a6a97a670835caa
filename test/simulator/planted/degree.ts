import { drop, insertBefore, replace, setCondition, setValue } from './changes.ts';
import type { Mutant } from './mutant.ts';

/** Planted in the counts of edges, and in their sums and groups. */
export const DEGREE_MUTANTS: readonly Mutant[] = [
  {
    name: 'count-by-record',
    rule: 'The part of an edge in the count follows from its item as it was seen, not from the record.',
    changes: [
      replace('count-follows-the-item-seen', 'if (difference.size === 0) difference.set(COUNT, -(10n ** 12n));'),
    ],
  },
];

/** Planted for the schedules that are written down. */
export const DIRECTED_TOTAL_MUTANTS: readonly Mutant[] = [
  {
    name: 'room-of-a-value-that-comes-back',
    rule: 'A value keeps its room if an item of the same write is to have it.',
    changes: [drop('value-that-an-item-gets-keeps-its-room')],
  },
  {
    name: 'room-taken-twice',
    rule: 'A value enters a group only if the count has not changed since its room was read.',
    changes: [setValue('room-is-taken-under-the-revision-seen', "{ kind: 'none' }")],
  },
  {
    name: 'value-added-to-without-room',
    rule: 'A number of a group grows only while the group has the value: a full one may have given its room away.',
    changes: [setCondition('value-is-added-to-while-it-has-room', 'true')],
  },
  {
    name: 'count-unmoved-by-a-swap',
    rule: 'Each transaction moves the revision of the count, also if as much comes as goes.',
    changes: [
      replace(
        'count-moves-with-every-transaction',
        `const isSwap = add.every(([, units]) => units === 0n);
  return await context.store.transact(isSwap ? updates : [...updates, countUpdate]);`,
      ),
    ],
  },
  {
    name: 'repair-counts-before-it-moves',
    rule: 'A repair moves the revision of a count before it lists the items.',
    changes: [
      insertBefore('count-moves-before-its-items-are-read, first', 'const early = await countExactly(context, key);'),
      setValue('count-moves-before-its-items-are-read, then', 'early'),
    ],
  },
  {
    name: 'repair-writes-any-count',
    rule: 'A repair writes a count under the revision that it moved.',
    changes: [
      setValue(
        'count-is-repaired-under-its-revision',
        "(await updateItem(context, { ...countUpdate(context, key, afterMove, amounts), condition: { kind: 'none' } })).applied",
      ),
    ],
  },
  {
    name: 'repair-lists-entries-by-a-lagging-read',
    rule: "The entries of a total stand in the target's partition, and a repair lists them consistently.",
    changes: [
      replace(
        'counted-items-are-listed-consistently',
        'yield* queriedItems(store, { partition: source, sortKey: { beginsWith } });',
      ),
    ],
  },
  {
    name: 'repair-buries-entries-uncounted',
    rule: 'A repair that buries an entry of no edge moves the total.',
    changes: [replace('repair-moves-the-total', 'return { update };')],
  },
];
