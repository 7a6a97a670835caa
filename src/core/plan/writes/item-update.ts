import { type Item, sameItem, sameValue } from '../../items/attribute-value.ts';
import {
  EDGE_SET,
  INDEX_ITEM_FIELDS,
  MODEL,
  OTHER,
  REVISION,
  TOMBSTONE_HOURS,
  unchangedCondition,
} from '../../items/derived-item.ts';
import type { CompiledModel } from '../../model/compiled.ts';
import type { DerivedUpdate, ItemKey } from '../../store-port.ts';

/** The write that makes a derived item hold what its base items ask for: a pure function of the two. */

/** Seconds since 1970 on the writer's clock, which decides the expiry of tombstones alone. */
export type EpochSeconds = number;

/** Attributes that have updates of their own: the elements of a view, and the groups that a count has no room for. */
const APART: ReadonlySet<string> = new Set([REVISION, EDGE_SET, OTHER]);

/**
 * Makes the update of a derived item that was read. It names what differs, and counts the revision in any case: a worker with an older
 * read of the base items must fail.
 *
 * @param was the item as it was read; undefined: there is none.
 * @param content all that the item is to hold; undefined: nothing asks for it, so it becomes a tombstone, also where there is none.
 * @param stamp what the attribute `model` is to say.
 */
export function itemUpdate(
  graph: CompiledModel,
  key: ItemKey,
  was: Item | undefined,
  content: Item | undefined,
  now: EpochSeconds,
  stamp: string = graph.fingerprint,
): DerivedUpdate {
  const { partitionKey, sortKey, ttl } = graph.table;
  const set: Item = {};
  const unset: string[] = [];
  for (const name in content) if (!sameValue(was?.[name], content[name])) set[name] = content[name]!;
  if (was?.[MODEL] === undefined || !sameValue(was[MODEL], { S: stamp })) set[MODEL] = { S: stamp };
  // The tombstone of an absent item is what stops a worker that read the base item before it was deleted.
  // rule: absent-base-item-gives-a-tombstone
  if (content === undefined) set[ttl] = { N: String(now + TOMBSTONE_HOURS * 3600) };
  for (const name in was) {
    if (name === partitionKey || name === sortKey || name === MODEL || APART.has(name)) continue;
    // A live item loses the expiry of the tombstone before it: TTL would delete the item.
    // rule: only-a-tombstone-expires
    // rule: fields-not-expected-are-cleared
    if (content?.[name] === undefined && set[name] === undefined) unset.push(name);
  }
  // rule: item-is-written-under-the-revision-read
  return { key, set, unset, condition: was === undefined ? { kind: 'absent' } : unchangedCondition(was, ttl) };
}

/** Tells whether a stored index item has the expected fields; an absent item and a tombstone are equal. */
export function hasExpectedFields(stored: Item | undefined, expected: Item | undefined): boolean {
  const present: Item = {};
  for (const name in stored) if (INDEX_ITEM_FIELDS.has(name)) present[name] = stored[name]!;
  return sameItem(present, expected ?? {});
}
