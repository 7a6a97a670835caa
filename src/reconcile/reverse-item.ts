import type { Item } from '../core/items/attribute-value.ts';
import { VIEW_KEY } from '../core/items/keys.ts';
import { copySlots, isSlotRight } from '../core/kinds/copy.ts';
import { expectedFields } from '../core/kinds/derived.ts';
import { edgeNamedByReverse, reverseItem } from '../core/kinds/reverse-item.ts';
import { derivedOf } from '../core/plan/derive.ts';
import { hasExpectedFields } from '../core/plan/writes/index-update.ts';
import type { ItemKey } from '../core/store-port.ts';
import type { ApplyContext } from './context.ts';
import { reconcileIndexItem } from './index-item.ts';
import { tombstoneUpdate } from './named-index-item.ts';
import { reconcile } from './reconcile.ts';
import { NO_WATERMARK, withPlausibleWatermark } from './repair.ts';
import { reconcileViewParts } from './view.ts';

/**
 * Reconciles a reverse item with its edge. While the item was missing, the fan-out of a change may not have found the edge. So the
 * copy is compared afterwards, and reconciled if it differs. A copy that is right stays untouched.
 *
 * @param base the edge. Undefined: the item names it, by its key or its content. If the item names none, it becomes a tombstone.
 */
export async function reconcileReverseItem(
  context: ApplyContext,
  key: ItemKey,
  base: ItemKey | undefined,
): Promise<void> {
  const { store, graph } = context;
  const { actual: item, expected } = await reconcile(context, {
    key,
    async expected(item) {
      const edge = base ?? edgeNamedByReverse(key, item);
      if (edge !== undefined || (await isReverseItemRight(context, item, undefined))) return { edge };
      // No edge is known for the item, so nothing asks for it. If an edge is put meanwhile, its write changes the item, and the
      // update fails.
      return { edge, burial: await tombstoneUpdate(context, key, item) };
    },
    update: (_item, { burial }) => burial,
  });
  const { edge } = expected;
  if (edge === undefined) return;
  const { item: image } = await store.get(edge, { consistent: true });
  const wanted = expectedFields(derivedOf(graph, edge.source, edge.target, image), key.target);
  if (!(await isReverseItemRight(context, item, wanted))) await reconcileIndexItem(context, edge, key, NO_WATERMARK);
  if (wanted !== undefined) await reconcileCopy(context, edge);
}

async function isReverseItemRight(
  context: ApplyContext,
  item: Item | undefined,
  expected: Item | undefined,
): Promise<boolean> {
  if (!hasExpectedFields(item, expected)) return false;
  if (item === undefined) return true;
  const hasExpiry = item[context.graph.table.ttl] !== undefined;
  return reverseItem.isLive(item) !== hasExpiry && (await withPlausibleWatermark(context, item)) === item;
}

async function reconcileCopy(context: ApplyContext, { source, target }: ItemKey): Promise<void> {
  const { graph, store } = context;
  const { item: view } = await store.get({ source, target: VIEW_KEY }, { consistent: true });
  const slot = copySlots(graph, view).find(({ edge }) => edge === target);
  if (slot?.parent === undefined) return;
  const { item: node } = await store.get({ source: slot.parent, target: slot.parent }, { consistent: true });
  if (!isSlotRight(graph, slot, node)) await reconcileViewParts(context, source, [target], NO_WATERMARK);
}
