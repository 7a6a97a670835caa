import { type Item, stringOf } from '../items/attribute-value.ts';
import { WATERMARK } from '../items/derived-item.ts';
import { wantedFields } from '../plan/copies.ts';
import { derivedOf } from '../plan/derive.ts';
import type { IndexUnit } from '../plan/unit.ts';
import { indexUpdate, isAsWanted, settledIndexUpdate } from '../plan/writes/updates.ts';
import { readItem } from '../store/pages.ts';
import { type ApplyContext, checkTime, epochSeconds, updateItem } from './context.ts';

/**
 * Applies an index unit, of an index item or a reverse item: one unread update if the item is older. Otherwise the item,
 * which the failed condition returned, either is what the unit wants, or the base item decides, written under the revision
 * seen. An item that agrees is written too, if only its revision, unless the very same records made it so: one that has
 * read the base item before, and stands still, must find it changed.
 *
 * `ahead`: the item as it was read, where the base item decides; `item` is undefined where there is none.
 */
export async function applyIndexUnit(
  context: ApplyContext,
  unit: IndexUnit,
  ahead?: { item: Item | undefined },
): Promise<void> {
  // rule: old-record-is-reconciled-however-late
  if (unit.byBase === true) return await applyByBase(context, unit, ahead);
  const { graph, stats } = context;
  // rule: removal-is-written-where-no-index-item-is
  let result = await updateItem(context, indexUpdate(graph, unit, epochSeconds(context)));
  // rule: removal-leaves-a-tombstone
  if (result.applied) return;
  stats.stale += 1;
  while (!result.applied) {
    checkTime(context);
    const { current } = result;
    const isAgreed = isAsWanted(current, unit.wanted);
    // rule: index-item-that-agrees-leaves-a-trace
    if (isAgreed && stringOf(current?.[WATERMARK]) === unit.newest) return;
    // rule: contradicted-index-item-is-reconciled-by-the-base-item
    const truth = isAgreed ? unit.wanted : await readTruth(context, unit);
    result = await updateItem(context, settledIndexUpdate(graph, unit, current, truth, epochSeconds(context)));
  }
}

/**
 * Applies an index unit by what the base item says: the item is read first, then the base item, and the write is made under
 * the revision seen, again and again. An item that the very same records made so before is left alone.
 */
export async function applyByBase(
  context: ApplyContext,
  unit: IndexUnit,
  ahead?: { item: Item | undefined },
): Promise<void> {
  let current =
    ahead === undefined ? await readItem(context, { source: unit.source, target: unit.sortKey }) : ahead.item;
  for (;;) {
    checkTime(context);
    const truth = await readTruth(context, unit);
    // rule: reconciled-index-item-that-agrees-leaves-a-trace
    if (isAsWanted(current, truth) && stringOf(current?.[WATERMARK]) === unit.newest) return;
    const update = settledIndexUpdate(context.graph, unit, current, truth, epochSeconds(context));
    // rule: backfill-is-written-under-the-revision-seen
    const written = await updateItem(context, update);
    if (written.applied) break;
    current = written.current;
  }
}

async function readTruth(context: ApplyContext, unit: IndexUnit): Promise<Item | undefined> {
  context.stats.contradictions += 1;
  const { source, target } = unit.base;
  // rule: base-item-of-an-index-item-is-read-consistently
  const base = await readItem(context, { source, target });
  return wantedFields(derivedOf(context.graph, source, target, base), unit.sortKey);
}
