import * as z from 'zod';
import type { ShardsResult } from '../../../src/client/read/lists/count-search.ts';
import type { SearchPredicate } from '../../../src/client/read/lists/search-query.ts';
import { createReader } from '../../../src/client/read/reader.ts';
import { findEdge, findOrder, findSearch } from '../../../src/client/read/request/lookup.ts';
import { sortKeyOfEdge } from '../../../src/core/model/base-item.ts';
import type { ItemKey, Store } from '../../../src/core/store-port.ts';
import { losslessNumber } from '../../../src/foundation/exact-json.ts';
import { explainQuery, type QueryPlan } from '../../../src/trust/explain/query.ts';
import type { RequestContext } from '../base/context.ts';
import { placeOf } from '../base/place-of-table.ts';
import { askedQuery, callOf, type ReaderCall } from '../base/query.ts';
import { codeOf } from '../base/query-code.ts';
import { input, route } from '../base/route.ts';
import { keepingItems, type SortValue, sortValuesOf } from '../base/sort-values.ts';
import { namesOf } from './nodes.ts';

export interface QueryRow {
  id: string;
  /** The node's name. */
  name: string | null;
  attributes: Record<string, unknown>;
  /** Empty if sorted by a computed value or a path. Absent if sorted by id. */
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
      const names = await namesOf(
        context,
        result.rows.map(({ id }) => id),
      );
      const rows = result.rows.map((row) => ({ ...row, name: names.get(row.id) ?? null }));
      return { ...result, rows, plan, code: codeOf(call, await placeOf(client)) };
    },
  ),
  route(
    'GET /api/shards',
    z.object({ name: z.string(), partition: z.string().optional() }),
    async ({ reader }, { name, ...scope }): Promise<ShardsResult> => await reader.shards(name, scope),
  ),
];

async function answerOf(
  { graph, leases }: RequestContext,
  store: Store,
  call: ReaderCall,
  cursor: string | undefined,
): Promise<{ rows: Omit<QueryRow, 'name'>[]; cursor?: string }> {
  const { store: keeping, found } = keepingItems(store, graph.table.partitionKey);
  const reader = createReader(graph, { store: keeping, leases, readNumber: losslessNumber });
  const options = { ...call.options, cursor };
  if (call.method === 'search') {
    const { items, cursor: next } = await reader.search(call.name).find(call.predicate as SearchPredicate, options);
    const { part, order } = findSearch(graph, call.name);
    const name = 'attribute' in order ? order.attribute : 'value';
    const rows = items.map(({ id, value, attributes }) => ({
      ...{ id, attributes, by: { source: id, target: part ?? id } },
      sortedBy: value === undefined ? [] : [{ name, value, isOfSource: false }],
    }));
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
