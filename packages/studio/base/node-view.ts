import { readEdgeSet } from '../../../src/client/read/nodes/edge-set.ts';
import { plainViewAttributes, readViews } from '../../../src/client/read/nodes/views.ts';
import { readContext } from '../../../src/client/read/reader-options.ts';
import { LivingStore } from '../../../src/client/read/request/living-store.ts';
import { NO_OWN_WRITES } from '../../../src/client/read/request/own.ts';
import type { EdgeSetElement } from '../../../src/client/read/request/result.ts';
import { EVICTED } from '../../../src/core/items/derived-item.ts';
import { evictedTypes } from '../../../src/core/items/stored-view.ts';
import { hasEnds } from '../../../src/core/model/ends.ts';
import { losslessNumber } from '../../../src/foundation/exact-json.ts';
import type { RequestContext } from './context.ts';

/** A view as it is stored. */
export interface StoredView {
  /** Null: nothing is projected. */
  attributes: Record<string, unknown> | null;
  /** The elements of the edge types that are in the set. */
  edgeSet: EdgeSetElement[];
  /** The edge types that left the set, because it grew too large. */
  left: string[];
}

/**
 * Reads the view of a node without the edge types that left it. A reader gets those by a Query of all their base edges, which costs a
 * hub hundreds of units.
 */
export async function readStoredView({ graph, store, leases }: RequestContext, id: string): Promise<StoredView> {
  return await leases.hold(async (projections) => {
    const context = {
      ...readContext(graph, { store, leases, readNumber: losslessNumber }),
      ...(hasEnds(graph) && { store: new LivingStore(store, graph, Date.now) }),
      projections,
    };
    const { items } = await readViews(context, [id], false, NO_OWN_WRITES);
    const view = items.get(id);
    const left = evictedTypes(view);
    const { [EVICTED]: _, ...unmarked } = view ?? {};
    const { entries } = await readEdgeSet(context, id, unmarked, false, NO_OWN_WRITES);
    return {
      attributes: plainViewAttributes(context, view),
      // An element of such a type may be left of the time before.
      edgeSet: entries.filter(({ type }) => !left.has(type)),
      left: [...left].sort(),
    };
  });
}
