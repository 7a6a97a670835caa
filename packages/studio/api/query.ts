import * as z from 'zod';
import type { ShardsResult } from '../../../src/client/read/lists/count-search.ts';
import type { SearchPredicate } from '../../../src/client/read/lists/search-query.ts';
import { createReader } from '../../../src/client/read/reader.ts';
import { findEdge, findOrder, findSearch } from '../../../src/client/read/request/lookup.ts';
import type { Page } from '../../../src/client/read/request/result.ts';
import { sortKeyOfEdge } from '../../../src/core/model/base-item.ts';
import type { ItemKey, Store } from '../../../src/core/store-port.ts';
import { losslessNumber } from '../../../src/foundation/exact-json.ts';
import { explainQuery, type QueryPlan } from '../../../src/trust/explain/query.ts';
import type { RequestContext } from '../base/context.ts';
import { askedQuery, callOf, type ReaderCall } from '../base/query.ts';
import { codeOf, placeOf } from '../base/query-code.ts';
import { input, route } from '../base/route.ts';
import { keepingItems, type SortValue, sortValuesOf } from '../base/sort-values.ts';
import { named } from './nodes.ts';

export interface QueryRow {
  id: string;
  name: string | null;
  attributes: Record<string, unknown>;
  /** The values that the row is sorted by; empty if an order computes its value. Absent if sorted by id. */
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

export const QUERY_ROUTES = [
  route(
    'GET /api/query',
    askedQuery.extend({ cursor: input.cursor }),
    async (context, { cursor, ...asked }): Promise<QueryAnswer> => {
      const { graph, store, client } = context;
      const call = callOf(graph, asked);
      const { plan, result } = await explainQuery(store, (noted) => answerOf(context, noted, call, cursor));
      const rows = await named(context, result.rows, ({ id }) => id);
      return { ...result, rows, plan, code: codeOf(call, await placeOf(client)) };
    },
  ),
  route(
    'GET /api/shards',
    z.object({ name: z.string(), partition: z.string().optional() }),
    async ({ reader }, { name, ...scope }): Promise<ShardsResult> => await reader.shards(name, scope),
  ),
];

interface Rows extends Pick<QueryAnswer, 'cursor'> {
  rows: Omit<QueryRow, 'name'>[];
}

async function answerOf(
  { graph, leases }: RequestContext,
  store: Store,
  call: ReaderCall,
  cursor: string | undefined,
): Promise<Rows> {
  const { store: keeping, found } = keepingItems(store, graph.table.partitionKey);
  const reader = createReader(graph, { store: keeping, leases, readNumber: losslessNumber });
  const options = { ...call.options, cursor };
  if (call.method === 'search') {
    const page = await reader.search(call.name).find(call.predicate as SearchPredicate, options);
    const { part, order } = findSearch(graph, call.name);
    const name = 'attribute' in order ? order.attribute : 'value';
    return rowsOf(page, ({ id, value, attributes }) => ({
      ...{ id, attributes, by: { source: id, target: part ?? id } },
      sortedBy: value === null ? [] : [{ name, value, isOfSource: false }],
    }));
  }
  if (call.method === 'inbound') {
    const edge = findEdge(graph, call.type);
    const { order } = findOrder(edge, call.options['order'] as string | undefined);
    return rowsOf(await reader.inbound(call.id, call.type, options), ({ source, attributes }) => ({
      ...{ id: source, attributes, by: { source, target: sortKeyOfEdge(edge, call.id) } },
      sortedBy: sortValuesOf(graph, order, found.get(source)!),
    }));
  }
  return rowsOf(await reader.nodes(call.type, options), ({ id, attributes }) => ({
    ...{ id, attributes: attributes ?? {}, by: { source: id, target: id } },
  }));
}

function rowsOf<T>({ items, cursor }: Page<T>, rowOf: (item: T) => Omit<QueryRow, 'name'>): Rows {
  return { rows: items.map(rowOf), ...(cursor !== undefined && { cursor }) };
}
