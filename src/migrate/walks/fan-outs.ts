import pMap from 'p-map';
import { isFanOutOpen } from '../../core/kinds/continuation.ts';
import { endContinuationUpdate } from '../../core/plan/fan-out.ts';
import { isContinuationKey } from '../../core/plan/stream-filter.ts';
import { type ApplyContext, epochSeconds } from '../../reconcile/apply-context.ts';
import { reconcileOrThrow } from '../../reconcile/reconcile.ts';
import { itemTask } from '../../reconcile/ways.ts';
import type { NeedsFanOut } from '../../registry/standing.ts';
import type { WalkedItem } from '../../store/table-walk.ts';

export interface EndingContext extends ApplyContext {
  concurrency: number;
  neededFanOuts: () => Promise<NeedsFanOut>;
}

/**
 * Ends fan-outs that no writer continues, because the views stopped copying or the last order with source attributes is
 * gone.
 */
export async function endUnneededFanOuts(context: EndingContext, items: readonly WalkedItem[]): Promise<void> {
  const open = items.filter(({ target, item }) => isContinuationKey(target) && isFanOutOpen(item));
  await pMap(open, (one) => endIfUnneeded(context, one), { concurrency: context.concurrency });
}

async function endIfUnneeded(context: EndingContext, { source, target, item }: WalkedItem): Promise<void> {
  const { graph, neededFanOuts } = context;
  const key = { source, target };
  const ending = itemTask(key, async (_, was) => {
    if (was === undefined || !isFanOutOpen(was)) return undefined;
    // Read the registry only now: another migration may have brought back a projection that needs this fan-out.
    // rule: fan-out-is-judged-by-a-registry-read-after-it
    const isNeeded = await neededFanOuts();
    return isNeeded(target) ? undefined : { update: endContinuationUpdate(graph, key, was, epochSeconds(context)) };
  });
  const ahead = { was: new Map([[ending, item]]), readAtMs: context.now() };
  await reconcileOrThrow(context, [ending], { ahead });
}
