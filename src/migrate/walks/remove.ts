import pMap from 'p-map';
import { unchangedCondition } from '../../core/items/derived-item.ts';
import { ownershipTest } from '../../registry/ownership.ts';
import type { SeenState } from '../../registry/transitions.ts';
import type { WalkedItem, WalkPlace } from '../../store/table-walk.ts';
import type { BuildContext } from './build.ts';
import { endUnneededFanOuts } from './fan-outs.ts';
import { walk } from './walk.ts';

export async function removeGenerations(
  context: BuildContext,
  generations: readonly SeenState[],
): Promise<WalkPlace | undefined> {
  const isOwned = ownershipTest(generations);
  const { store, stats, concurrency } = context;
  const gone = new WeakSet<WalkedItem>();
  return await walk({ ...context, stays: (item) => !gone.has(item) }, async (items) => {
    await pMap(
      items.filter(isOwned),
      async (owned) => {
        const { source, target, item } = owned;
        const { applied, wcu } = await store.delete(
          { source, target },
          unchangedCondition(item, context.graph.table.ttl),
        );
        if (applied) gone.add(owned);
        stats.writes += 1;
        stats.wcu += wcu;
      },
      { concurrency },
    );
    // rule: orders-that-go-end-fan-outs
    await endUnneededFanOuts(context, items);
    return true;
  });
}
