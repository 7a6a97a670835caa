import type { DerivedKind } from '../../core/items/derived-key.ts';
import { partKindOf } from '../../core/kinds/all-kinds.ts';
import { edgeOfPart } from '../../core/kinds/in-target.ts';
import type { Part, ViewRepair } from '../../core/kinds/part.ts';
import type { ItemKey } from '../../core/store-port.ts';
import { deleteItem } from '../../reconcile/alien.ts';
import type { ApplyContext } from '../../reconcile/apply-context.ts';
import { reconcileCount } from '../../reconcile/counted.ts';
import { restartFanOut } from '../../reconcile/fan-out.ts';
import { reconcileIndexItemByKey } from '../../reconcile/named-index-item.ts';
import { placeValuesWithoutRoom } from '../../reconcile/others.ts';
import { reconcileReverseItem } from '../../reconcile/reverse-item.ts';
import { reconcileTotalEntry } from '../../reconcile/total-entry.ts';
import { reconcileViewParts } from '../../reconcile/view.ts';

/** The repair of a kind of derived item. */
export interface ItemRepair {
  /** The place among the repairs of a partition: lowest number first. */
  order: number;
  /** Makes an item equal to what its base items ask for now. Returns whether the item counts as repaired: it may have been right already. */
  repair(context: ApplyContext, key: ItemKey, parts: readonly Part[]): Promise<boolean>;
}

const COUNT: ItemRepair = {
  order: 0,
  async repair(context, key) {
    await reconcileCount(context, key.source, key.target);
    // The count is now what its items say, also where one of them says wrongly that there was no room for its value.
    await placeValuesWithoutRoom(context, key);
    return true;
  },
};
const INDEX_ITEM: ItemRepair = { order: 2, repair: alwaysRepaired(reconcileIndexItemByKey) };
const CONTINUATION: ItemRepair = { order: 2, repair: alwaysRepaired(restartFanOut) };

/** The repairs of all kinds. A kind without a line does not compile. */
const REPAIRS: { readonly [Kind in DerivedKind]: ItemRepair } = {
  // Counts are repaired first: a malformed one blocks the writes of the items that it counts.
  count: COUNT,
  total: COUNT,
  view: { order: 1, repair: alwaysRepaired(repairView) },
  'index-item': INDEX_ITEM,
  'target-item': INDEX_ITEM,
  'part-view': INDEX_ITEM,
  'reverse-item': { order: 2, repair: alwaysRepaired(repairWithEdge(reconcileReverseItem)) },
  'total-entry': { order: 2, repair: alwaysRepaired(repairWithEdge(reconcileTotalEntry)) },
  continuation: CONTINUATION,
  'source-continuation': CONTINUATION,
  // A redrive reconciles what an entry names, and deletes the entry.
  'quarantine-entry': { order: 2, repair: async () => false },
  'unknown-item': { order: 2, repair: deleteItem },
};

/** Returns the repair of a derived item, by its kind. */
export function repairOf({ name }: { name: DerivedKind }): ItemRepair {
  return REPAIRS[name];
}

/** A repair after which the item counts as repaired, whatever it found. */
function alwaysRepaired(
  repair: (context: ApplyContext, key: ItemKey, parts: readonly Part[]) => Promise<unknown>,
): ItemRepair['repair'] {
  return async (context, key, parts) => {
    await repair(context, key, parts);
    return true;
  };
}

async function repairView(
  context: ApplyContext,
  { source, target: sortKey }: ItemKey,
  parts: readonly Part[],
): Promise<void> {
  const repair: ViewRepair = { targets: new Set(), unmark: new Set(), drop: [] };
  for (const part of parts) partKindOf(part).repairInView?.(repair, context.graph, { source, sortKey, part });
  const { targets, unmark, drop } = repair;
  await reconcileViewParts(context, source, [...targets], { unmark, drop });
}

/**
 * Makes the repair of a reverse item, or of an entry in a total. The repair gets the key of the item's edge if one of the parts names
 * it. Otherwise the repair finds the edge by the item.
 */
function repairWithEdge(repair: typeof reconcileReverseItem) {
  return (context: ApplyContext, key: ItemKey, parts: readonly Part[]): Promise<void> =>
    repair(
      context,
      key,
      parts.map(edgeOfPart).find((edge) => edge !== undefined),
    );
}
