import { drop, insertBefore, replace, setCondition, setProperty, setValue } from './changes.ts';
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
  {
    name: 'total-recomputed',
    rule: "The old value of an edge in a sum or group is the one that its item names, not the edge's value now.",
    changes: [
      replace(
        'entry-names-its-values',
        `const renamed = current && expected?.ledger && current.counted ? { ...current, ledger: expected.ledger } : current;
  addAmounts(difference, amountsOf(renamed, countName), -1n);`,
      ),
    ],
  },
  {
    name: 'sum-without-bounds',
    rule: 'A value beyond the bounds of sums is a problem: with it an addition may need more than 38 digits.',
    changes: [setCondition('sums-have-bounds', 'shift < 0')],
  },
  {
    name: 'problem-as-zero',
    rule: 'A value that cannot be added is counted as a problem.',
    changes: [drop('value-that-is-no-number-is-a-problem')],
  },
  {
    name: 'group-without-type',
    rule: 'The value of a group has a tag of its type.',
    changes: [setProperty('group-has-a-tag-of-its-type', 'S', (old) => old.replace('N', 'S'))],
  },
  {
    name: 'check-no-entries',
    rule: "The entry of each edge in its target's total is looked up.",
    changes: [
      setValue(
        'items-of-each-edge-in-its-target-are-looked-up',
        (old) => `(${old}).filter(({ fields }) => Object.keys(fields).length === 1)`,
      ),
    ],
  },
];

/** Planted for the schedules that are written down. */
export const DIRECTED_TOTAL_MUTANTS: readonly Mutant[] = [
  {
    name: 'group-without-bound',
    rule: 'A count has room for 50 values of a group, and adds up the others under one name.',
    changes: [drop('group-has-a-bound')],
  },
  {
    name: 'room-kept-for-ever',
    rule: 'A value that no edge has any more gives up its room in a full group.',
    changes: [setCondition('value-of-no-edge-gives-up-its-room', 'true')],
  },
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
