import { stringOf } from '../../items/attribute-value.ts';
import { OTHER } from '../../items/derived-item.ts';
import { parseDerivedKey } from '../../items/derived-key.ts';
import { hasRoomForOthers, storedAmounts, textsOf } from '../../items/ledger.ts';
import { itemsToCount } from '../../kinds/count.ts';
import { readItem } from '../../store/pages.ts';
import type { ItemKey } from '../../store/port.ts';
import type { SettleContext } from './context.ts';
import { reconcileIndexItemByKey } from './index-item.ts';
import { reconcileTotalEntry } from './total-entry.ts';

/**
 * Reconciles items whose values of groups had no room in a count, as long as there is room. Each of them gets a name for its values.
 */
export async function nameOthers(context: SettleContext, count: ItemKey): Promise<void> {
  const { source, target: countKey } = count;
  for await (const item of itemsToCount(context.store, source, countKey)) {
    if (textsOf(item, OTHER).length === 0) continue;
    const amounts = storedAmounts(await readItem(context, count));
    if (amounts === undefined || !hasRoomForOthers(amounts)) return;
    const key = { source, target: stringOf(item[context.graph.table.sortKey])! };
    if (parseDerivedKey(key.target)?.kind === 'total-entry') await reconcileTotalEntry(context, key, undefined);
    else await reconcileIndexItemByKey(context, key);
  }
}
