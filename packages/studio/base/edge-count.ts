import { nativeTest, resolveInboundQuery } from '../../../src/client/read/lists/inbound.ts';
import { countRows, wholeRequest } from '../../../src/client/read/lists/native-list.ts';
import { readContext } from '../../../src/client/read/reader-options.ts';
import type { Item } from '../../../src/core/items/attribute-value.ts';
import type { QueryRequest, QueryResult } from '../../../src/core/store-port.ts';
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
  for (const countPage of await countersOf(context, end)) {
    let startKey: Item | undefined;
    do {
      if (budget.rcu <= 0) return { count: all, isExact: false };
      const limit = Math.ceil(budget.rcu / unitsAnItem);
      const { count, scanned, lastKey, rcu } = await countPage({ limit, ...(startKey !== undefined && { startKey }) });
      all += count;
      budget.rcu -= rcu;
      if (scanned > 0) unitsAnItem = rcu / scanned;
      startKey = lastKey;
    } while (startKey !== undefined);
  }
  return { count: all, isExact: true };
}

/** Counts the edges of one page of a partition. */
type CountPage = (page: { limit: number; startKey?: Item }) => Promise<Omit<QueryResult, 'items'>>;

/** A Query for each partition that has such edges. */
async function countersOf(
  { graph, store, leases }: RequestContext,
  { id, edge: { type }, direction }: EdgeEnd,
): Promise<CountPage[]> {
  const ofRequest =
    (request: QueryRequest): CountPage =>
    (page) =>
      store.query({ ...request, ...page, countOnly: true });
  if (direction === 'outgoing') return [ofRequest({ partition: id, sortKey: { beginsWith: `${type}-` } })];
  return await leases.hold(async (projections) => {
    const context = { ...readContext(graph, { store, leases }), projections };
    const query = resolveInboundQuery(context, id, type, {});
    const { partitions, index, range, itemKeys, native } = query;
    if (native === undefined)
      return partitions.map((partition) => ofRequest({ index, partition, sortKey: range, itemKeys }));
    const request = wholeRequest(context, native);
    const list = { list: native, accept: nativeTest(query) };
    if (request === undefined) return [];
    return [
      async (page): ReturnType<CountPage> => {
        const { items, ...rest } = await store.queryNative({ ...request, ...page });
        return { ...rest, count: countRows(context, list, items) };
      },
    ];
  });
}
