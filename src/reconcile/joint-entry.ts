import { textOfKey } from '../core/items/keys.ts';
import { isJoinedKey } from '../core/kinds/joined.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import { type EntryTouch, entryTouch, type ItemTouch, keyOfTouch } from '../core/plan/touch.ts';
import { hasExpectedFields } from '../core/plan/writes/item-update.ts';
import type { BaseItems } from './base-items.ts';
import type { Planned } from './plan-write.ts';

export interface JointEntry {
  entry: EntryTouch;
  isBefore: boolean;
}

/**
 * A fault that only an edge and its source node have together is in no record of either, so its entry follows the
 * joined item: it is written after an item that fails, and goes before an item that comes back.
 */
export function jointEntry(
  { graph, isScan }: { graph: CompiledModel; isScan: boolean },
  { open: { touch }, was, expected }: Planned,
  bases: BaseItems,
): JointEntry | undefined {
  if (touch.kind !== 'item' || touch.source !== touch.base.source) return undefined;
  if (!isJoinedKey(graph, touch.base.target, touch.sortKey)) return undefined;
  const { joint = [] } = bases.derivedOf(touch.base);
  const entry = { ...entryTouch(touch.base), records: touch.records };
  if (joint.length > 0) return { entry, isBefore: false };
  // rule: joint-fault-has-an-entry
  const wasEmpty = was !== undefined && hasExpectedFields(was, undefined);
  // TTL deletes an empty item. A scan finds the entry by itself.
  // rule: absent-item-may-have-failed
  const mayHaveFailed = was === undefined && !isScan && !isOfNewEdge(touch);
  if (!wasEmpty && !mayHaveFailed) return undefined;
  // A writer of an entry with older reads writes the empty item first, which fails here.
  const mayStay = expected === undefined || was === undefined;
  // rule: entry-goes-before-its-item-comes-back
  const isBefore = expected !== undefined;
  return { entry: mayStay ? { ...entry, isLook: true } : entry, isBefore };
}

function isOfNewEdge({ base, records }: ItemTouch): boolean {
  return (
    records.length > 0 &&
    records.every(
      ({ source, target, oldImage, isPartial }) =>
        source === base.source && target === base.target && oldImage === undefined && isPartial !== true,
    )
  );
}

export function noteEntry(entries: Map<string, EntryTouch>, entry: EntryTouch): void {
  const place = textOfKey(keyOfTouch(entry));
  if (entry.isLook !== true || !entries.has(place)) entries.set(place, entry);
}
