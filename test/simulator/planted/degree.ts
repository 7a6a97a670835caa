import { drop, insertBefore, replace, setCondition, setValue } from './changes.ts';
import type { Mutant } from './mutant.ts';

/** Bugs in totals: the counts, sums and groups of edges. */
export const DEGREE_MUTANTS: readonly Mutant[] = [
  {
    name: 'count-by-record',
    rule: "An edge's contribution to a count is computed from its stored item as it was read, not from the stream record.",
    changes: [
      replace('count-follows-the-item-seen', 'if (difference.size === 0) difference.set(COUNT, -(10n ** 12n));'),
    ],
  },
];

/** Bugs in totals that written schedules find. */
export const DIRECTED_TOTAL_MUTANTS: readonly Mutant[] = [
  {
    name: 'room-of-a-value-that-comes-back',
    rule: 'A count frees the place of a group value only if no item of the same write will have that value.',
    changes: [drop('value-that-an-item-gets-keeps-its-room')],
  },
  {
    name: 'room-taken-twice',
    rule: "A count gives a place to a new group value only if the count hasn't changed since its free places were read.",
    changes: [setValue('room-is-taken-under-the-revision-seen', "{ kind: 'none' }")],
  },
  {
    name: 'value-added-to-without-room',
    rule: 'A write adds to a group value only while the count lists the value, because another writer may have given its place away.',
    changes: [setCondition('value-is-added-to-while-it-has-room', 'true')],
  },
  {
    name: 'count-unmoved-by-a-swap',
    rule: "Every transaction raises the count's revision, even if the amounts that it adds and removes cancel out.",
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
    rule: 'A repair raises the revision of a count before it reads the counted items.',
    changes: [
      insertBefore('count-moves-before-its-items-are-read, first', 'const early = await countExactly(context, key);'),
      setValue('count-moves-before-its-items-are-read, then', 'early'),
    ],
  },
  {
    name: 'repair-writes-any-count',
    rule: 'A repair writes a count only if the count still has the revision that the repair gave it.',
    changes: [
      setValue(
        'count-is-repaired-under-its-revision',
        "(await updateItem(context, { ...countUpdate(context, key, afterMove, amounts), condition: { kind: 'none' } })).applied",
      ),
    ],
  },
  {
    name: 'repair-lists-entries-by-a-lagging-read',
    rule: "A repair lists the entries of a total with consistent Queries of the target's partition.",
    changes: [
      replace(
        'counted-items-are-listed-consistently',
        'yield* queriedItems(store, { partition: source, sortKey: { beginsWith } });',
      ),
    ],
  },
  {
    name: 'repair-buries-entries-uncounted',
    rule: 'A repair that replaces an entry of no edge with a tombstone also changes the total.',
    changes: [replace('repair-moves-the-total', 'return { update };')],
  },
];
