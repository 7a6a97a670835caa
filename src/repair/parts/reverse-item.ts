import { reconcile } from '../../apply/reconcile.ts';
import type { Item } from '../../items/attribute-value.ts';
import { isWithinBytes, SORT_KEY_BYTES, VIEW_KEY } from '../../items/keys.ts';
import { FanOutPlaces } from '../../model/projection/places.ts';
import { edgeOfReverse, reverseItemOf, wantedFields } from '../../plan/copies.ts';
import { derivedOf } from '../../plan/derive.ts';
import { isAsWanted } from '../../plan/writes/updates.ts';
import type { ItemKey } from '../../store/port.ts';
import { NO_WATERMARK, type SettleContext, trusted } from '../settle/context.ts';
import { burialOf, settleIndexItem } from '../settle/index-item.ts';
import { settleViewParts } from '../settle/view.ts';
import { copySlots, isSlotRight } from './copy.ts';
import { oddities } from './form.ts';
import { indexItem, indexItemText } from './index-item.ts';
import type { ItemKind, Part, PartKind } from './kind.ts';

/** The item by which a node finds an edge that copies from it. It is in the node's partition; the edge is in another one. */
export const reverseItem: ItemKind = {
  name: 'reverse-item',
  decidedBy: 'other-partitions',
  attributes: indexItem.attributes,
  hasTombstones: true,
  mendOrder: 2,
  isKept: ({ edges }, { edgeType }, sortKey) =>
    edges.get(edgeType)?.copy !== undefined && sortKey.startsWith(new FanOutPlaces(edgeType).reversePrefix),
  isLive: indexItem.isLive,
  oddities: (context, item) => oddities(reverseItem, context, item),
  async mend(context, key, parts) {
    const part = parts.find(({ kind }) => kind === 'reverse-item');
    await settleReverseItem(context, key, part?.kind === 'reverse-item' ? part.base : undefined);
    return true;
  },
};

/** The fields of a reverse item. Its edge decides about them. */
export const reverseItemPart: PartKind<Extract<Part, { kind: 'reverse-item' }>> = {
  isContent: true,
  decidingKeys(_context, { source, sortKey, part }, derived) {
    const edge = part.base ?? edgeNamedByReverse({ source, target: sortKey }, derived);
    return edge === undefined ? [] : [edge];
  },
  compare({ graph }, { suspect: { sortKey }, derived, keys, items }) {
    const wanted = keys[0] && wantedFields(derivedOf(graph, keys[0].source, keys[0].target, items[0]), sortKey);
    return { wanted: indexItemText(wanted) ?? null, stored: indexItemText(derived) ?? null };
  },
};

/** The edge that a reverse item names, if such an edge can exist. */
export function edgeNamedByReverse(key: ItemKey, item: Item | undefined): ItemKey | undefined {
  const edge = edgeOfReverse(key, item);
  const isPossible = edge !== undefined && edge.source !== '' && isWithinBytes(edge.target, SORT_KEY_BYTES);
  return isPossible ? edge : undefined;
}

/**
 * Reconciles a reverse item with its edge. While the item was missing, the fan-out of a change may not have found the edge. So the
 * copy is compared afterwards, and reconciled if it differs. A copy that is right stays untouched.
 *
 * @param base the edge, if it is known already.
 */
async function settleReverseItem(context: SettleContext, key: ItemKey, base: ItemKey | undefined): Promise<void> {
  const { store, graph } = context;
  const { actual: item, expected } = await reconcile(context, {
    key,
    async expected(item) {
      const edge = base ?? edgeNamedByReverse(key, item);
      if (edge !== undefined || (await isRight(context, item, undefined))) return { edge };
      // No edge is known for the item, so nothing asks for it. If an edge is put meanwhile, its write changes the item, and the
      // update fails.
      return { edge, burial: await burialOf(context, key, item) };
    },
    update: (_item, { burial }) => burial,
  });
  const { edge } = expected;
  if (edge === undefined) return;
  const { item: image } = await store.get(edge, { consistent: true });
  const wanted = image && reverseItemOf(graph, edge)?.fields;
  if (!(await isRight(context, item, wanted))) await settleIndexItem(context, edge, key, NO_WATERMARK);
  if (wanted !== undefined) await settleCopy(context, edge);
}

async function isRight(context: SettleContext, item: Item | undefined, wanted: Item | undefined): Promise<boolean> {
  if (!isAsWanted(item, wanted)) return false;
  if (item === undefined) return true;
  const hasExpiry = item[context.graph.table.ttl] !== undefined;
  return reverseItem.isLive(item) !== hasExpiry && (await trusted(context, item)) === item;
}

async function settleCopy(context: SettleContext, { source, target }: ItemKey): Promise<void> {
  const { graph, store } = context;
  const { item: view } = await store.get({ source, target: VIEW_KEY }, { consistent: true });
  const slot = copySlots(graph, view).find(({ edge }) => edge === target);
  if (slot?.parent === undefined) return;
  const { item: node } = await store.get({ source: slot.parent, target: slot.parent }, { consistent: true });
  if (!isSlotRight(graph, slot, node)) await settleViewParts(context, source, [target], NO_WATERMARK);
}
