import * as z from 'zod';
import type { SearchPredicate } from '../../../src/client/read/lists/search-list.ts';
import { createReader } from '../../../src/client/read/reader.ts';
import { findEdge, findOrder, findSearch } from '../../../src/client/read/request/lookup.ts';
import { sortKeyOfEdge } from '../../../src/core/model/base-item.ts';
import type { ItemKey, Store } from '../../../src/core/store-port.ts';
import { losslessNumber } from '../../../src/foundation/exact-json.ts';
import { explainQuery, type QueryPlan } from '../../../src/trust/explain/query.ts';
import type { RequestContext } from '../base/context.ts';
import { placeOf } from '../base/place-of-table.ts';
import { callOf, type ReaderCall } from '../base/query.ts';
import { codeOf } from '../base/query-code.ts';
import { input, route } from '../base/route.ts';
import { keepingItems, type SortValue, sortValuesOf } from '../base/sort-values.ts';

export interface QueryRow {
  id: string;
  /** Only for a search. */
  value?: unknown;
  attributes: Record<string, unknown>;
  /** Only for a list. */
  sortedBy?: SortValue[];
  /** The base item that puts the row into the list. */
  by: ItemKey;
}

export interface QueryAnswer {
  rows: QueryRow[];
  cursor?: string;
  plan: QueryPlan;
  code: string;
}

const optional = z.string().min(1).optional();

const askedQuery = z.object({
  ...{
    type: optional,
    id: optional,
    search: optional,
    nodes: optional,
    order: optional,
    partition: optional,
    cursor: input.cursor,
  },
  ...{ equals: optional, atLeast: optional, beginsWith: optional, from: optional, to: optional },
  ...{ path: input.list.optional(), where: input.list.optional() },
  reverse: input.flag,
  limit: input.limit,
});

export const QUERY_ROUTES = [
  route('GET /api/query', askedQuery, async (context, { cursor, ...asked }): Promise<QueryAnswer> => {
    const { graph, store, client } = context;
    const call = callOf(graph, asked);
    const { plan, result } = await explainQuery(store, (noted) => answerOf(context, noted, call, cursor));
    return { ...result, plan, code: codeOf(call, await placeOf(client)) };
  }),
];

async function answerOf(
  { graph, leases }: RequestContext,
  store: Store,
  call: ReaderCall,
  cursor: string | undefined,
): Promise<Pick<QueryAnswer, 'rows' | 'cursor'>> {
  const { store: keeping, found } = keepingItems(store, graph.table.partitionKey);
  const reader = createReader(graph, { store: keeping, leases, readNumber: losslessNumber });
  const options = { ...call.options, cursor };
  if (call.method === 'search') {
    const { items, cursor: next } = await reader.search(call.name).find(call.predicate as SearchPredicate, options);
    const { part } = findSearch(graph, call.name);
    const rows = items.map((row) => ({ ...row, by: { source: row.id, target: part ?? row.id } }));
    return { rows, ...(next !== undefined && { cursor: next }) };
  }
  if (call.method === 'inbound') {
    const edge = findEdge(graph, call.type);
    const { order } = findOrder(edge, call.options['order'] as string | undefined);
    const { items, cursor: next } = await reader.inbound(call.id, call.type, options);
    const rows = items.map(({ source, attributes }) => ({
      ...{ id: source, attributes, by: { source, target: sortKeyOfEdge(edge, call.id) } },
      sortedBy: sortValuesOf(graph, order, found.get(source)!),
    }));
    return { rows, ...(next !== undefined && { cursor: next }) };
  }
  const { items, cursor: next } = await reader.nodes(call.type, options);
  const rows = items.map(({ id, attributes }) => ({
    ...{ id, attributes: attributes ?? {}, by: { source: id, target: id } },
  }));
  return { rows, ...(next !== undefined && { cursor: next }) };
}
