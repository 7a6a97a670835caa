import { type Item, sameItem, sameValue } from '../../items/attribute-value.ts';
import {
  EDGE_SET,
  INDEX_ITEM_FIELDS,
  MODEL,
  OTHER,
  REVISION,
  tombstoneExpiry,
  unchangedCondition,
} from '../../items/derived-item.ts';
import type { CompiledModel } from '../../model/compiled.ts';
import type { DerivedUpdate, ItemKey } from '../../store-port.ts';

/** Seconds since 1970, which only decide when tombstones expire. */
export type EpochSeconds = number;

/** Attributes that `itemUpdate` never removes, because other code updates them. */
const APART: ReadonlySet<string> = new Set([REVISION, EDGE_SET, OTHER]);

/**
 * Returns the update that makes an item hold `content`. The revision always increments, so that a worker with an older
 * read of the base items fails to write.
 *
 * @param content undefined to leave a tombstone, even if there was no item.
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
  // Because of the tombstone, a worker that read the base item before its deletion fails to write.
  // rule: absent-base-item-gives-a-tombstone
  if (content === undefined) set[ttl] = tombstoneExpiry(now);
  for (const name in was) {
    if (name === partitionKey || name === sortKey || name === MODEL || APART.has(name)) continue;
    // TTL would delete a live item that keeps a tombstone's expiry.
    // rule: only-a-tombstone-expires
    // rule: fields-not-expected-are-cleared
    if (content?.[name] === undefined && set[name] === undefined) unset.push(name);
  }
  // rule: item-is-written-under-the-revision-read
  return { key, set, unset, condition: was === undefined ? { kind: 'absent' } : unchangedCondition(was, ttl) };
}

/** A tombstone counts as absent. */
export function hasExpectedFields(stored: Item | undefined, expected: Item | undefined): boolean {
  const present: Item = {};
  for (const name in stored) if (INDEX_ITEM_FIELDS.has(name)) present[name] = stored[name]!;
  return sameItem(present, expected ?? {});
}
