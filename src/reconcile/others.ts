import { stringOf } from '../core/items/attribute-value.ts';
import { hasRoomForOthers, RoomForOthers, storedAmounts } from '../core/items/ledger.ts';
import { itemsToCount } from '../core/kinds/count.ts';
import { readItem } from '../core/store-pages.ts';
import type { ItemKey } from '../core/store-port.ts';
import type { ApplyContext } from './apply-context.ts';
import { reconcileNamed } from './named-item.ts';

export async function placeValuesWithoutRoom(context: ApplyContext, count: ItemKey): Promise<void> {
  const { source, target: countKey } = count;
  const amounts = storedAmounts(await readItem(context, count));
  if (amounts === undefined || !hasRoomForOthers(amounts)) return;
  const room = new RoomForOthers(amounts);
  for await (const item of itemsToCount(context.store, source, countKey)) {
    if (!room.takes(item)) continue;
    await reconcileNamed(context, { source, target: stringOf(item[context.graph.table.sortKey])! });
  }
}
