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

/** Makes a derived item hold what its base items ask for: a pure function of both. */

/** Seconds since 1970 on the writer's clock; only decides when tombstones expire. */
export type EpochSeconds = number;

/** Attributes updated separately: a view's elements, and groups that a count has no room for. */
const APART: ReadonlySet<string> = new Set([REVISION, EDGE_SET, OTHER]);

/**
 * Updates a derived item that was read. Only differences are set, but the revision always increments: a worker with an
 * older read of the base items must fail.
 *
 * @param was the item as read; undefined: none.
 * @param content all that the item should hold; undefined: it becomes a tombstone, even if it doesn't exist.
 * @param stamp the value of the attribute `model`.
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
  // The tombstone of an absent item stops a worker that read the base item before it was deleted.
  // rule: absent-base-item-gives-a-tombstone
  if (content === undefined) set[ttl] = { N: String(now + TOMBSTONE_HOURS * 3600) };
  for (const name in was) {
    if (name === partitionKey || name === sortKey || name === MODEL || APART.has(name)) continue;
    // A live item loses an earlier tombstone's expiry: TTL would delete it.
    // rule: only-a-tombstone-expires
    // rule: fields-not-expected-are-cleared
    if (content?.[name] === undefined && set[name] === undefined) unset.push(name);
  }
  // rule: item-is-written-under-the-revision-read
  return { key, set, unset, condition: was === undefined ? { kind: 'absent' } : unchangedCondition(was, ttl) };
}

/** An absent item and a tombstone are equal. */
export function hasExpectedFields(stored: Item | undefined, expected: Item | undefined): boolean {
  const present: Item = {};
  for (const name in stored) if (INDEX_ITEM_FIELDS.has(name)) present[name] = stored[name]!;
  return sameItem(present, expected ?? {});
}
