import { resolveInboundQuery } from '../../../src/client/read/lists/inbound.ts';
import { readContext } from '../../../src/client/read/reader-options.ts';
import type { QueryRequest } from '../../../src/core/store-port.ts';
import { EdgeloomError } from '../../../src/foundation/errors.ts';
import type { RequestContext } from './context.ts';
import type { EdgeCount, EdgeEnd } from './ended-counts.ts';

/** Read units that are left for counts. */
export interface CountBudget {
  rcu: number;
}

/** Read units of an item, before one is read: edges of more than 1.6 KB are rare. */
const UNITS_AN_ITEM = 0.2;

/** The number of edges for a place that shows it by the way: by the number that the model keeps, or else one by one until the budget is used up. */
export async function glanceAtCount(context: RequestContext, end: EdgeEnd, budget: CountBudget): Promise<EdgeCount> {
  const known = context.endedCounts.find(end);
  if (known !== undefined) return known;
  const counted = await countEdges(context, end, budget);
  if (!counted.isExact) context.endedCounts.add(end, counted);
  return counted;
}

/** Counts edges, by the number that the model keeps, or else one by one until the budget is used up. */
export async function countEdges(context: RequestContext, end: EdgeEnd, budget: CountBudget): Promise<EdgeCount> {
  return (await keptCount(context, end)) ?? (await countQueries(context, end, budget));
}

/** The number that the model keeps; undefined: it keeps none, or readers may not use it yet. */
async function keptCount({ reader }: RequestContext, { id, edge, direction }: EdgeEnd): Promise<EdgeCount | undefined> {
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

/** The number by Queries that give no items. */
async function countQueries(context: RequestContext, end: EdgeEnd, budget: CountBudget): Promise<EdgeCount> {
  let all = 0;
  let unitsAnItem = UNITS_AN_ITEM;
  for (const request of await requestsOf(context, end)) {
    let startKey: QueryRequest['startKey'];
    do {
      if (budget.rcu <= 0) return { count: all, isExact: false };
      const limit = Math.ceil(budget.rcu / unitsAnItem);
      const { count, scanned, lastKey, rcu } = await context.store.query({
        ...request,
        ...(startKey !== undefined && { startKey }),
        ...{ limit, countOnly: true },
      });
      all += count;
      budget.rcu -= rcu;
      if (scanned > 0) unitsAnItem = rcu / scanned;
      startKey = lastKey;
    } while (startKey !== undefined);
  }
  return { count: all, isExact: true };
}

/** A Query for each partition that has such edges. */
async function requestsOf(
  { graph, store, leases }: RequestContext,
  { id, edge: { type }, direction }: EdgeEnd,
): Promise<QueryRequest[]> {
  if (direction === 'outgoing') return [{ partition: id, sortKey: { beginsWith: `${type}-` } }];
  return await leases.hold(async (projections) => {
    const context = { ...readContext(graph, { store, leases }), projections };
    const { partitions, index, range, itemKeys } = resolveInboundQuery(context, type, id, {});
    return partitions.map((partition) => ({ index, partition, sortKey: range, itemKeys }));
  });
}
