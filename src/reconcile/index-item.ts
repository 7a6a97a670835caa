import { type Item, stringOf } from '../core/items/attribute-value.ts';
import { WATERMARK } from '../core/items/derived-item.ts';
import { requireDerivedSortKey } from '../core/items/keys.ts';
import { countHolding } from '../core/kinds/count.ts';
import { expectedFields } from '../core/kinds/derived.ts';
import { isJoinedKey } from '../core/kinds/joined.ts';
import { derivedOf } from '../core/plan/derive.ts';
import type { IndexUnit } from '../core/plan/unit.ts';
import { hasExpectedFields, indexUpdate, reconciledIndexUpdate } from '../core/plan/writes/index-update.ts';
import { readItem } from '../core/store-pages.ts';
import type { ItemKey } from '../core/store-port.ts';
import { type ApplyContext, epochSeconds, updateItem } from './context.ts';
import { writeCounted } from './count.ts';
import { reconcileJoined } from './joined.ts';
import { reconcile } from './reconcile.ts';
import { NO_WATERMARK, updateWithFence, withPlausibleWatermark } from './repair.ts';

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
  if (unit.byBase === true) return await reconcileIndexUnit(context, unit, ahead);
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
 * Reconciles an index item with its base item, and its count with it. An item that the same records wrote before is not written. A
 * repair has no records, and always writes: an item that nothing asks for becomes a tombstone, even if there was none.
 */
async function reconcileIndexUnit(
  context: ApplyContext,
  unit: IndexUnit,
  seen?: { item: Item | undefined },
): Promise<void> {
  const { graph, repair } = context;
  // rule: build-counts-with-the-item
  const countName = countHolding(graph, unit.base, unit.sortKey)?.name;
  // rule: repair-reads-the-derived-item-before-its-base, first
  await reconcile(context, {
    key: { source: unit.source, target: unit.sortKey },
    seen,
    async expected(current) {
      // rule: repair-reads-the-derived-item-before-its-base, then
      // rule: overtaken-repair-reads-the-base-item-again
      const wanted = await readExpectedFields(context, unit);
      return { wanted, kept: await withPlausibleWatermark(context, current) };
    },
    update(current, { wanted, kept }) {
      const stored = repair === undefined ? current : kept;
      const isOfRecords = repair === undefined && stringOf(current?.[WATERMARK]) === unit.newest;
      // rule: reconciled-index-item-that-agrees-leaves-a-trace
      if (isOfRecords && hasExpectedFields(current, wanted)) return undefined;
      // rule: backfill-is-written-under-the-revision-seen
      // rule: repair-writes-index-items-under-the-revision-seen
      return updateWithFence(context, reconciledIndexUpdate(graph, unit, stored, wanted, epochSeconds(context)));
    },
    // rule: repair-moves-the-count
    writeIfUnchanged:
      countName === undefined
        ? undefined
        : (update, { actual, expected }) => writeCounted(context, actual, expected.wanted, update, countName),
  });
}

async function readExpectedFields(context: ApplyContext, unit: IndexUnit): Promise<Item | undefined> {
  context.stats.contradictions += 1;
  const { source, target } = unit.base;
  // rule: base-item-of-an-index-item-is-read-consistently
  const base = await readItem(context, { source, target });
  return expectedFields(derivedOf(context.graph, source, target, base), unit.sortKey);
}

/**
 * Reconciles one index item, reverse item or entry of a total with its base item; a joined item also with the source node.
 *
 * @param key the key of the derived item.
 */
export async function reconcileIndexItem(
  context: ApplyContext,
  base: ItemKey,
  key: ItemKey,
  watermark: string,
): Promise<void> {
  const isJoined = isJoinedKey(context.graph, base.target, key.target);
  // The watermark of a joined item is that of the edge's newest record. This call may be due to a record of the node, so it
  // brings no watermark.
  const unit = unitOfIndexItem(key, base, isJoined ? NO_WATERMARK : watermark);
  await (isJoined ? reconcileJoined(context, [unit]) : reconcileIndexUnit(context, unit));
}

/** Makes a unit of an index item that no record asks for. */
export function unitOfIndexItem({ source, target }: ItemKey, base: ItemKey, watermark: string): IndexUnit {
  const sortKey = requireDerivedSortKey(target);
  return { kind: 'index', source, sortKey, base, records: [], oldest: watermark, newest: watermark };
}
