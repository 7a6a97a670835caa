import { resolveInboundQuery } from '../../../src/client/read/lists/inbound.ts';
import { readContext } from '../../../src/client/read/reader-options.ts';
import type { EdgeResult, Page } from '../../../src/client/read/request/result.ts';
import { typePrefix } from '../../../src/core/items/keys.ts';
import type { EdgeModel } from '../../../src/core/model/compiled.ts';
import { EdgeloomError } from '../../../src/foundation/errors.ts';
import type { RequestContext } from './context.ts';

/** Neighbours of a node by the edges of one type in one direction. */
export interface NeighbourGroup {
  type: string;
  direction: 'outgoing' | 'incoming';
  /** The other ends of the first edges. */
  ids: string[];
  /** Where the next ones are: of `/api/edges`, or of `/api/inbound`. */
  cursor?: string;
  /** The number of all edges. */
  count: number;
  /** True if that is the number; else there may be more. */
  isExact: boolean;
}

/** The first edges of each type that leave a node or enter it, and how many there are. */
export async function neighboursOf(context: RequestContext, id: string, limit: number): Promise<NeighbourGroup[]> {
  const { graph, reader } = context;
  const type = typePrefix(id) ?? '';
  const edges = [...graph.edges.values()];
  const outgoing = edges.filter(({ from }) => from.has(type));
  const incoming = edges.filter(({ to, inbound }) => to.has(type) && inbound !== undefined && !inbound.partition);
  return await Promise.all([
    ...outgoing.map((edge) => groupOf(context, id, edge, 'outgoing', reader.edges(id, edge.type, { limit }))),
    ...incoming.map((edge) => groupOf(context, id, edge, 'incoming', reader.inbound(id, edge.type, { limit }))),
  ]);
}

async function groupOf(
  context: RequestContext,
  id: string,
  edge: EdgeModel,
  direction: NeighbourGroup['direction'],
  first: Promise<Page<EdgeResult>>,
): Promise<NeighbourGroup> {
  const { items, cursor } = await first;
  const ids = items.map(({ source, target }) => (direction === 'outgoing' ? target : source));
  const { type } = edge;
  if (cursor === undefined) return { type, direction, ids, count: ids.length, isExact: true };
  const counted = (await keptCount(context, id, edge, direction)) ?? (await countQueries(context, id, edge, direction));
  return { type, direction, ids, cursor, ...counted };
}

type Counted = Pick<NeighbourGroup, 'count' | 'isExact'>;

/** The number that the model keeps; undefined: it keeps none, or readers may not use it yet. */
async function keptCount(
  { reader }: RequestContext,
  id: string,
  edge: EdgeModel,
  direction: NeighbourGroup['direction'],
): Promise<Counted | undefined> {
  try {
    if (direction === 'outgoing' && edge.count !== undefined) {
      return { count: await reader.degree(id, edge.type), isExact: true };
    }
    if (direction === 'incoming' && edge.incoming !== undefined) {
      const { count } = await reader.total(id, edge.type, { direction: 'inbound', groups: false });
      return { count, isExact: true };
    }
  } catch (error) {
    if (!(error instanceof EdgeloomError)) throw error;
  }
  return undefined;
}

/** The number by a Query of each partition that gives no items: it reads 1 MB of each at most. */
async function countQueries(
  { graph, store, leases }: RequestContext,
  id: string,
  { type }: EdgeModel,
  direction: NeighbourGroup['direction'],
): Promise<Counted> {
  const requests =
    direction === 'outgoing'
      ? [{ partition: id, sortKey: { beginsWith: `${type}-` } }]
      : await leases.hold(async (projections) => {
          const context = { ...readContext(graph, { store, leases }), projections };
          const { partitions, index, range, itemKeys } = resolveInboundQuery(context, type, id, {});
          return partitions.map((partition) => ({ index, partition, sortKey: range, itemKeys }));
        });
  const pages = await Promise.all(requests.map((request) => store.query({ ...request, countOnly: true })));
  return {
    count: pages.reduce((sum, { count }) => sum + count, 0),
    isExact: pages.every(({ lastKey }) => lastKey === undefined),
  };
}
