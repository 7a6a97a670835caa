import { readEdgeSet } from '../../../src/client/read/nodes/edge-set.ts';
import { plainViewAttributes, readViews } from '../../../src/client/read/nodes/views.ts';
import { readContext } from '../../../src/client/read/reader-options.ts';
import { LivingStore } from '../../../src/client/read/request/living-store.ts';
import { NO_OWN_WRITES } from '../../../src/client/read/request/own.ts';
import { EVICTED } from '../../../src/core/items/derived-item.ts';
import { evictedTypes } from '../../../src/core/items/stored-view.ts';
import { hasEnds } from '../../../src/core/model/ends.ts';
import { losslessNumber } from '../../../src/foundation/exact-json.ts';
import type { RequestContext } from './context.ts';

/** Unlike a reader, doesn't query base edges of evicted types, which would cost hundreds of RCU for a hub. */
export async function readStoredView({ graph, store, leases }: RequestContext, id: string) {
  return await leases.hold(async (projections) => {
    const context = {
      ...readContext(graph, { store, leases, readNumber: losslessNumber }),
      ...(hasEnds(graph) && { store: new LivingStore(store, graph, Date.now) }),
      projections,
    };
    const view = (await readViews(context, [id], { own: NO_OWN_WRITES })).get(id);
    const left = evictedTypes(view);
    const { [EVICTED]: _, ...unmarked } = view ?? {};
    const { entries } = await readEdgeSet(context, id, unmarked, { consistent: false, own: NO_OWN_WRITES });
    return {
      attributes: plainViewAttributes(context, view),
      // Elements from before the eviction may remain.
      edgeSet: entries.filter(({ type }) => !left.has(type)),
      left: [...left].sort(),
    };
  });
}
