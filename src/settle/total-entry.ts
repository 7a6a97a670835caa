import { stringOf } from '../core/items/attribute-value.ts';
import { COUNTED } from '../core/items/derived-item.ts';
import { edgeOfEntry } from '../core/kinds/total-entry.ts';
import { totalOfEntry } from '../core/model/projection/places.ts';
import type { ItemKey } from '../core/store-port.ts';
import { writeCounted } from './counted.ts';
import { reconcile } from './reconcile.ts';
import { NO_WATERMARK, type SettleContext } from './repair.ts';
import { reconcileIndexItem, reconcileOtherCount, tombstoneUpdate } from './repaired-index-item.ts';

/**
 * Reconciles the entry of an edge in a total with the edge, in a transaction with the total. An entry of no edge becomes a tombstone.
 *
 * @param base the edge, if it is known already.
 */
export async function reconcileTotalEntry(
  context: SettleContext,
  key: ItemKey,
  base: ItemKey | undefined,
): Promise<void> {
  const { graph } = context;
  const { name } = totalOfEntry(key.target);
  const { actual, expected } = await reconcile(context, {
    key,
    async expected(item) {
      const edge = base ?? edgeOfEntry(graph, key, item);
      return { edge, burial: edge === undefined ? await tombstoneUpdate(context, key, item) : undefined };
    },
    update: (_item, { burial }) => burial,
    // rule: repair-moves-the-total
    writeIfUnchanged: (burial, seen) => writeCounted(context, seen.actual, undefined, burial, name),
  });
  const { edge } = expected;
  if (edge !== undefined) await reconcileIndexItem(context, edge, key, NO_WATERMARK);
  await reconcileOtherCount(context, key.source, stringOf(actual?.[COUNTED]), totalOfEntry(key.target));
}
