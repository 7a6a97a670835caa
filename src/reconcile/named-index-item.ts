import { type Item, stringOf } from '../core/items/attribute-value.ts';
import { COUNTED, isTombstone } from '../core/items/derived-item.ts';
import { baseKeyOfIndexItem } from '../core/items/derived-key.ts';
import { countHolding, isKeptCount } from '../core/kinds/count.ts';
import { findEdgeOfHashedKey } from '../core/kinds/index-item.ts';
import { countKeyOf } from '../core/model/projection/places.ts';
import { itemTouch } from '../core/plan/touch.ts';
import { itemUpdate } from '../core/plan/writes/item-update.ts';
import type { DerivedUpdate, ItemKey } from '../core/store-port.ts';
import { type ApplyContext, epochSeconds, sendingWithin } from './apply-context.ts';
import { reconcileCount, writeCounted } from './counted.ts';
import { reconcileItem } from './reconcile-item.ts';
import { reconcileTouch } from './touches.ts';

/** Index items, and entries of totals, reconciled by what their keys and fields name. */

/**
 * Reconciles an index item, or an entry of a total, with the base item that it names, and the counts that it names. One that names no
 * base item becomes a tombstone.
 *
 * @param baseOf finds the base item, by the item as it was read. If the edge is put after the search, its write changes the item, so
 * the update fails.
 * @param countName the count that a tombstone leaves.
 */
export async function reconcileNamed(
  context: ApplyContext,
  key: ItemKey,
  baseOf: (item: Item | undefined) => ItemKey | undefined | Promise<ItemKey | undefined>,
  countName?: string,
): Promise<void> {
  const { actual, expected } = await reconcileItem(context, {
    key,
    async expected(item) {
      const base = await baseOf(item);
      return { base, burial: base === undefined ? tombstoneUpdate(context, key, item) : undefined };
    },
    update: (_item, { burial }) => burial,
    // rule: repair-moves-the-total
    writeIfUnchanged:
      countName === undefined
        ? undefined
        : (update, { actual }, readAtMs) => writeWithTotal(context, countName, { current: actual, update, readAtMs }),
  });
  const { base } = expected;
  if (base !== undefined) await reconcileTouch(context, itemTouch(key, base));
  const holding = countName ?? (base && countHolding(context.graph, base, key.target)?.name);
  await reconcileOtherCount(context, key.source, stringOf(actual?.[COUNTED]), holding);
}

/** Buries one counted item, with its count; false if the item has changed since it was read. */
async function writeWithTotal(
  context: ApplyContext,
  countName: string,
  { current, update, readAtMs }: { current: Item | undefined; update: DerivedUpdate; readAtMs: number },
): Promise<boolean> {
  const change = { current, expected: undefined, update };
  const [outcome] = await writeCounted(context, countName, [change], {
    remainingMs: sendingWithin(context, { readAtMs }),
    readmits: true,
  });
  if (!outcome!.applied && outcome!.error !== undefined) throw outcome!.error;
  context.stats.wcu += outcome!.wcu;
  return outcome!.applied;
}

/** Reconciles an index item with the base item that its key, or what it holds, names. */
export async function reconcileIndexItemByKey(context: ApplyContext, key: ItemKey): Promise<void> {
  const { source, target: sortKey } = key;
  await reconcileNamed(context, key, async () => {
    const target = baseKeyOfIndexItem(source, sortKey) ?? (await findEdgeOfHashedKey(context, source, sortKey));
    return target === undefined ? undefined : { source, target };
  });
}

/**
 * Reconciles a count that contained an item by mistake. The item has left that count, and the transaction that wrote the item
 * changed only the count that holds items in its place.
 *
 * @param name the count that the item named.
 * @param holding the count that holds items in its place.
 */
export async function reconcileOtherCount(
  context: ApplyContext,
  source: string,
  name: string | undefined,
  holding: string | undefined,
): Promise<void> {
  if (name === undefined || name === holding) return;
  const target = countKeyOf(name);
  if (!isKeptCount(context.graph, target)) return;
  await reconcileCount(context, source, target);
}

/**
 * Makes the update that turns a derived item that no base item asks for into a tombstone; undefined if nothing is there to bury.
 *
 * @param current the item as it was read, before the base items.
 */
export function tombstoneUpdate(
  context: ApplyContext,
  key: ItemKey,
  current: Item | undefined,
): DerivedUpdate | undefined {
  if (current === undefined || isTombstone(current, context.graph.table)) return undefined;
  return itemUpdate(context.graph, key, current, undefined, epochSeconds(context));
}
