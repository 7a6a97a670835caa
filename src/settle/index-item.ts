import { type Item, stringOf } from '../core/items/attribute-value.ts';
import { WATERMARK } from '../core/items/derived-item.ts';
import { expectedFields } from '../core/kinds/derived.ts';
import { derivedOf } from '../core/plan/derive.ts';
import type { IndexUnit } from '../core/plan/unit.ts';
import { hasExpectedFields, indexUpdate, reconciledIndexUpdate } from '../core/plan/writes/updates.ts';
import { readItem } from '../core/store-pages.ts';
import { type ApplyContext, epochSeconds, updateItem } from './context.ts';
import { reconcile } from './reconcile.ts';

/**
 * Applies an index unit, of an index item or a reverse item. The first update reads nothing, and succeeds if the item is older. If
 * it fails, its condition returns the item: either that is as the unit expects, or the base item decides, and the write is made
 * under the revision that was read. Even an item that agrees is written, if only its revision, unless the same records wrote it: a
 * concurrent worker with an older read of the base item must fail.
 *
 * `ahead`: the item as it was read before, if the base item decides; its `item` is undefined if there is none.
 */
export async function applyIndexUnit(
  context: ApplyContext,
  unit: IndexUnit,
  ahead?: { item: Item | undefined },
): Promise<void> {
  // rule: old-record-is-reconciled-however-late
  if (unit.byBase === true) return await applyIndexUnitByBaseItem(context, unit, ahead);
  const { graph, stats } = context;
  // rule: removal-is-written-where-no-index-item-is
  const result = await updateItem(context, indexUpdate(graph, unit, epochSeconds(context)));
  // rule: removal-leaves-a-tombstone
  if (result.applied) return;
  stats.stale += 1;
  await reconcile(context, {
    key: { source: unit.source, target: unit.sortKey },
    seen: { item: result.current },
    // rule: contradicted-index-item-is-reconciled-by-the-base-item
    expected: (current) =>
      hasExpectedFields(current, unit.expected) ? unit.expected : readExpectedFields(context, unit),
    update(current, truth) {
      const isAgreed = hasExpectedFields(current, unit.expected);
      // rule: index-item-that-agrees-leaves-a-trace
      if (isAgreed && stringOf(current?.[WATERMARK]) === unit.newest) return undefined;
      return reconciledIndexUpdate(graph, unit, current, truth, epochSeconds(context));
    },
  });
}

/**
 * Applies an index unit with the base item. An item that the same records wrote before is not written.
 */
export async function applyIndexUnitByBaseItem(
  context: ApplyContext,
  unit: IndexUnit,
  ahead?: { item: Item | undefined },
): Promise<void> {
  await reconcile(context, {
    key: { source: unit.source, target: unit.sortKey },
    seen: ahead,
    expected: () => readExpectedFields(context, unit),
    update(current, truth) {
      // rule: reconciled-index-item-that-agrees-leaves-a-trace
      if (hasExpectedFields(current, truth) && stringOf(current?.[WATERMARK]) === unit.newest) return undefined;
      // rule: backfill-is-written-under-the-revision-seen
      return reconciledIndexUpdate(context.graph, unit, current, truth, epochSeconds(context));
    },
  });
}

async function readExpectedFields(context: ApplyContext, unit: IndexUnit): Promise<Item | undefined> {
  context.stats.contradictions += 1;
  const { source, target } = unit.base;
  // rule: base-item-of-an-index-item-is-read-consistently
  const base = await readItem(context, { source, target });
  return expectedFields(derivedOf(context.graph, source, target, base), unit.sortKey);
}
