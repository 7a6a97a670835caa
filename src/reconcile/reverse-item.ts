import { VIEW_KEY } from '../core/items/keys.ts';
import { copySlots, isSlotRight } from '../core/kinds/copy.ts';
import { edgeNamedByReverse } from '../core/kinds/reverse-item.ts';
import { itemTouch } from '../core/plan/touch.ts';
import type { ItemKey } from '../core/store-port.ts';
import type { ApplyContext } from './apply-context.ts';
import { tombstoneUpdate } from './named-index-item.ts';
import { reconcileItem } from './reconcile-item.ts';
import { reconcileTouch } from './touches.ts';
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
  const { expected: edge } = await reconcileItem(context, {
    key,
    expected: (item) => base ?? edgeNamedByReverse(key, item),
    // No edge is known for the item, so nothing asks for it. If an edge is put meanwhile, its write changes the item, and the update fails.
    update: (item, edge) => (edge === undefined ? tombstoneUpdate(context, key, item) : undefined),
  });
  if (edge === undefined) return;
  await reconcileTouch(context, itemTouch(key, edge));
  await reconcileCopy(context, edge);
}

async function reconcileCopy(context: ApplyContext, { source, target }: ItemKey): Promise<void> {
  const { graph, store } = context;
  const { item: view } = await store.get({ source, target: VIEW_KEY }, { consistent: true });
  const slot = copySlots(graph, view).find(({ edge }) => edge === target);
  if (slot?.parent === undefined) return;
  const { item: node } = await store.get({ source: slot.parent, target: slot.parent }, { consistent: true });
  if (!isSlotRight(graph, slot, node)) await reconcileViewParts(context, source, [target]);
}
