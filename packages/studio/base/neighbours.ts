import type { EdgeResult, Page } from '../../../src/client/read/request/result.ts';
import { typePrefix } from '../../../src/core/items/keys.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import type { RequestContext } from './context.ts';
import { type CountBudget, glanceAtCount } from './edge-count.ts';
import type { EdgeCount, EdgeEnd } from './ended-counts.ts';
import { UNITS_AT_ONCE } from './price.ts';

/** Neighbours of a node by the edges of one type in one direction. */
export interface NeighbourGroup extends EdgeCount {
  type: string;
  direction: EdgeEnd['direction'];
  /** The other ends of the first edges. */
  ids: string[];
  /** Where the next ones are: of `/api/edges`, or of `/api/inbound`. */
  cursor?: string;
}

/** The lists of a node: of each edge type that may leave it, and of each that may enter it and is listed without a value. */
export function endsOf(graph: CompiledModel, id: string): EdgeEnd[] {
  const type = typePrefix(id) ?? '';
  const edges = [...graph.edges.values()];
  const incoming = edges.filter(({ to, inbound }) => to.has(type) && inbound !== undefined && !inbound.partition);
  return [
    ...edges.filter(({ from }) => from.has(type)).map((edge): EdgeEnd => ({ id, edge, direction: 'outgoing' })),
    ...incoming.map((edge): EdgeEnd => ({ id, edge, direction: 'incoming' })),
  ];
}

/** The first edges of each type that leave a node or enter it, and how many there are: of a hub, at least how many. */
export async function neighboursOf(context: RequestContext, id: string, limit: number): Promise<NeighbourGroup[]> {
  const { graph, reader } = context;
  const firsts = await Promise.all(
    endsOf(graph, id).map(async (end) => {
      const { type } = end.edge;
      const isOutgoing = end.direction === 'outgoing';
      return firstOf(end, isOutgoing ? reader.edges(id, type, { limit }) : reader.inbound(id, type, { limit }));
    }),
  );
  const budget: CountBudget = { rcu: UNITS_AT_ONCE };
  const groups: NeighbourGroup[] = [];
  // One after the other, as all of them share the budget.
  for (const { end, ids, cursor } of firsts) {
    const { direction, edge } = end;
    const read = { type: edge.type, direction, ids };
    if (cursor === undefined) groups.push({ ...read, count: ids.length, isExact: true });
    else {
      const { count, isExact } = await glanceAtCount(context, end, budget);
      groups.push({ ...read, cursor, count: Math.max(count, ids.length), isExact });
    }
  }
  return groups;
}

async function firstOf(
  end: EdgeEnd,
  first: Promise<Page<EdgeResult>>,
): Promise<{ end: EdgeEnd; ids: string[]; cursor: string | undefined }> {
  const { items, cursor } = await first;
  return { end, ids: items.map(({ source, target }) => (end.direction === 'outgoing' ? target : source)), cursor };
}
