import { type Item, stringOf } from '../core/items/attribute-value.ts';
import { COUNTED } from '../core/items/derived-item.ts';
import { baseKeyOfIndexItem } from '../core/items/derived-key.ts';
import { requireDerivedSortKey } from '../core/items/keys.ts';
import { countHolding, isKeptCount } from '../core/kinds/count.ts';
import { expectedFields } from '../core/kinds/derived.ts';
import { findEdgeOfHashedKey } from '../core/kinds/index-item.ts';
import { isJoinedKey } from '../core/kinds/joined.ts';
import { type CounterPlaces, countKeyOf } from '../core/model/projection/places.ts';
import { derivedOf } from '../core/plan/derive.ts';
import type { IndexUnit } from '../core/plan/unit.ts';
import { reconciledIndexUpdate } from '../core/plan/writes/updates.ts';
import { readItem } from '../core/store-pages.ts';
import type { DerivedUpdate, ItemKey } from '../core/store-port.ts';
import { epochSeconds } from './context.ts';
import { reconcileCount } from './count.ts';
import { writeCounted } from './counted.ts';
import { reconcileJoined } from './joined.ts';
import { reconcile } from './reconcile.ts';
import { NO_WATERMARK, type SettleContext, updateWithFence, withPlausibleWatermark } from './repair.ts';

/**
 * Reconciles one index item, or reverse item, with its base item; a joined item also with the source node. An item that nothing
 * asks for becomes a tombstone, even if there was none.
 *
 * @param key the key of the derived item.
 */
export async function reconcileIndexItem(
  context: SettleContext,
  base: ItemKey,
  key: ItemKey,
  watermark: string,
): Promise<void> {
  const { graph } = context;
  const { target: sortKey } = key;
  if (isJoinedKey(graph, base.target, sortKey)) {
    // The watermark of a joined item is that of the edge's newest record. This call may be due to a record of the node, so it
    // brings no watermark.
    const unit = unitOfIndexItem(key, base, NO_WATERMARK);
    return await reconcileJoined(context, [unit], { trusted: (current) => withPlausibleWatermark(context, current) });
  }
  const unit = unitOfIndexItem(key, base, watermark);
  const countName = countHolding(graph, base, sortKey)?.name;
  // rule: repair-reads-the-derived-item-before-its-base, first
  await reconcile(context, {
    key,
    async expected(current) {
      // rule: repair-reads-the-derived-item-before-its-base, then
      // rule: overtaken-repair-reads-the-base-item-again
      const item = await readItem(context, { source: base.source, target: base.target });
      const wanted = expectedFields(derivedOf(graph, base.source, base.target, item), sortKey);
      return { wanted, kept: await withPlausibleWatermark(context, current) };
    },
    update(_current, { wanted, kept }) {
      const settled = reconciledIndexUpdate(graph, unit, kept, wanted, epochSeconds(context));
      // rule: repair-writes-index-items-under-the-revision-seen
      return updateWithFence(context, settled);
    },
    // rule: repair-moves-the-count
    writeIfUnchanged:
      countName === undefined
        ? undefined
        : (update, { actual, expected }) => writeCounted(context, actual, expected.wanted, update, countName),
  });
}

/** Reconciles an index item with the base item that its key, or what it holds, names; with none it becomes a tombstone. */
export async function reconcileIndexItemByKey(context: SettleContext, key: ItemKey): Promise<void> {
  const { source, target: sortKey } = key;
  const { actual, expected } = await reconcile(context, {
    key,
    async expected(item) {
      // The search for the edge follows the read of the item. If the edge is put later, its write changes the item, so the
      // update fails.
      const target = baseKeyOfIndexItem(source, sortKey) ?? (await findEdgeOfHashedKey(context, source, sortKey));
      return { target, burial: target === undefined ? await tombstoneUpdate(context, key, item) : undefined };
    },
    update: (_item, { burial }) => burial,
  });
  const { target } = expected;
  if (target !== undefined) await reconcileIndexItem(context, { source, target }, key, NO_WATERMARK);
  const holding = target === undefined ? undefined : countHolding(context.graph, { source, target }, sortKey);
  await reconcileOtherCount(context, source, stringOf(actual?.[COUNTED]), holding);
}

/**
 * Reconciles a count that contained an item by mistake. The item has left that count, and the transaction that wrote the item
 * changed only the count that holds items in its place.
 *
 * @param name the count that the item named.
 */
export async function reconcileOtherCount(
  context: SettleContext,
  source: string,
  name: string | undefined,
  holding: CounterPlaces | undefined,
): Promise<void> {
  if (name === undefined || name === holding?.name) return;
  const target = countKeyOf(name);
  if (!isKeptCount(context.graph, target)) return;
  await reconcileCount(context, source, target);
}

/**
 * Makes the update that turns an index item that no base item asks for into a tombstone.
 *
 * @param current the item as it was read, before the base items.
 */
export async function tombstoneUpdate(
  context: SettleContext,
  key: ItemKey,
  current: Item | undefined,
): Promise<DerivedUpdate> {
  const unit = unitOfIndexItem(key, key, NO_WATERMARK);
  const seen = await withPlausibleWatermark(context, current);
  return updateWithFence(context, reconciledIndexUpdate(context.graph, unit, seen, undefined, epochSeconds(context)));
}

function unitOfIndexItem({ source, target }: ItemKey, base: ItemKey, watermark: string): IndexUnit {
  const sortKey = requireDerivedSortKey(target);
  return { kind: 'index', source, sortKey, base, records: [], oldest: watermark, newest: watermark };
}
