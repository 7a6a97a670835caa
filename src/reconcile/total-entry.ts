import { edgeOfEntry } from '../core/kinds/total-entry.ts';
import { totalOfEntry } from '../core/model/projection/places.ts';
import type { ItemKey } from '../core/store-port.ts';
import type { ApplyContext } from './apply-context.ts';
import { reconcileNamed } from './named-index-item.ts';

/**
 * Reconciles the entry of an edge in a total with the edge, in a transaction with the total. An entry of no edge becomes a tombstone.
 *
 * @param base the edge, if it is known already.
 */
export async function reconcileTotalEntry(
  context: ApplyContext,
  key: ItemKey,
  base: ItemKey | undefined,
): Promise<void> {
  const { name } = totalOfEntry(key.target);
  await reconcileNamed(context, key, (item) => base ?? edgeOfEntry(context.graph, key, item), name);
}
