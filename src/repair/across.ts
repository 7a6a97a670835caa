import { countedUpdate, epochSeconds } from '../apply/context.ts';
import { isLive } from '../check/compare.ts';
import { copySlots, edgeNamedByReverse, isSlotRight } from '../check/copies.ts';
import { type Item, stringOf } from '../items/attribute-value.ts';
import { WATERMARK } from '../items/derived-item.ts';
import { VIEW_KEY } from '../items/keys.ts';
import { reverseItemOf } from '../plan/copies.ts';
import { restartUpdate } from '../plan/restart.ts';
import { isAsWanted } from '../plan/writes.ts';
import type { ItemKey } from '../store/port.ts';
import { type SettleContext, settleIndexItem, settleViewParts, trusted } from './settle.ts';

/** Mending what other partitions decide: reverse items, and the continuations of fan-outs. */

/** No record asks for it: the watermark that is seen stays, and where there is none it is empty. */
const NO_WATERMARK = '';

/**
 * Settles a reverse item by its edge. While it was missing a change of its partition's node may have passed the edge by: so
 * the copy is looked at behind it, and settled if it differs. One that is right by now is left alone.
 *
 * @param base the edge, where it is known already.
 */
export async function settleReverseItem(
  context: SettleContext,
  key: ItemKey,
  base: ItemKey | undefined,
): Promise<void> {
  const { store, graph } = context;
  const { item } = await store.get(key, { consistent: true });
  // Where nothing tells the edge it is nobody's: any absent base item says so.
  const edge = base ?? edgeNamedByReverse(key, item) ?? key;
  const { item: image } = await store.get(edge, { consistent: true });
  const wanted = image && reverseItemOf(graph, edge)?.fields;
  if (!(await isRight(context, key, item, wanted))) await settleIndexItem(context, edge, key, NO_WATERMARK);
  if (wanted !== undefined) await settleCopy(context, edge);
}

/** Has a stuck fan-out go on. */
export async function restartFanOut(context: SettleContext, key: ItemKey): Promise<void> {
  let { item } = await context.store.get(key, { consistent: true });
  for (;;) {
    if (item === undefined) return;
    const watermark = stringOf((await trusted(context, item))?.[WATERMARK]) ?? NO_WATERMARK;
    const result = await countedUpdate(
      context,
      restartUpdate(context.graph, key, item, watermark, epochSeconds(context)),
    );
    if (result.applied) return;
    item = result.current;
  }
}

async function isRight(
  context: SettleContext,
  { target }: ItemKey,
  item: Item | undefined,
  wanted: Item | undefined,
): Promise<boolean> {
  if (!isAsWanted(item, wanted)) return false;
  if (item === undefined) return true;
  const hasExpiry = item[context.graph.table.ttl] !== undefined;
  return isLive(target, item) !== hasExpiry && (await trusted(context, item)) === item;
}

async function settleCopy(context: SettleContext, { source, target }: ItemKey): Promise<void> {
  const { graph, store } = context;
  const { item: view } = await store.get({ source, target: VIEW_KEY }, { consistent: true });
  const slot = copySlots(graph, view).find(({ edge }) => edge === target);
  if (slot?.parent === undefined) return;
  const { item: node } = await store.get({ source: slot.parent, target: slot.parent }, { consistent: true });
  if (!isSlotRight(graph, slot, node)) await settleViewParts(context, source, [target], NO_WATERMARK);
}
