import { type Item, stringOf } from '../../../core/items/attribute-value.ts';
import { BASE_ITEMS } from '../../../core/items/keys.ts';
import { classifyBaseItem } from '../../../core/model/base-item.ts';
import type { EdgeModel } from '../../../core/model/compiled.ts';
import { isGone } from '../../../core/model/gone.ts';
import { checkOptions } from '../../../foundation/options.ts';
import { type Gathered, mergePartitions } from '../lists/scatter.ts';
import { boundOptions, type CursorBinding, decodeCursor, encodeCursor } from '../request/cursor.ts';
import { prefixRange } from '../request/key-range.ts';
import { checkedEdgeKey, checkSource, edgeTypeFrom } from '../request/lookup.ts';
import { mustReadConsistently } from '../request/own.ts';
import {
  checkLimit,
  type EveryReadOptions,
  type ItemReadOptions,
  READ_OPTIONS,
  type ReadContext,
} from '../request/read-context.ts';
import { baseAttributes, type EdgeResult, type Page } from '../request/result.ts';

/** Options of `edges`. */
export interface EdgesOptions extends EveryReadOptions {
  /** Edges per page, at least 1. Default: 100. */
  limit?: number | undefined;
  /** The previous page's `cursor`. */
  cursor?: string | undefined;
  /** Strongly consistent reads, at twice the capacity. Default: false. */
  consistent?: boolean | undefined;
}

export const BASE_ORDER = '';

export async function readEdges(
  context: ReadContext,
  source: string,
  edgeType: string | undefined,
  options: EdgesOptions = {},
): Promise<Page<EdgeResult>> {
  checkOptions('edges', options, { limit: 'checked', cursor: true, consistent: 'boolean', ...READ_OPTIONS });
  const { graph, cursorKey } = context;
  checkSource(graph, source);
  const edge = edgeType === undefined ? undefined : edgeTypeFrom(graph, source, edgeType);
  const limit = checkLimit(options.limit);
  const query = [graph.table.name, 'edges', source, edge?.type, boundOptions(options)];
  const bound: CursorBinding = { query, meaning: BASE_ORDER };
  const after = options.cursor === undefined ? undefined : decodeCursor(options.cursor, bound, cursorKey);
  const { consistent } = options;
  const { items, lastKey } = await readEdgePage(context, source, edge, { limit, after, consistent });
  return { items, ...(lastKey !== undefined && { cursor: encodeCursor(lastKey, bound, cursorKey) }) };
}

export async function readEdgePage(
  context: ReadContext,
  source: string,
  edge: EdgeModel | undefined,
  {
    limit,
    after,
    maxRcu,
    consistent,
    isProjected = false,
  }: {
    limit: number;
    after?: string | undefined;
    maxRcu?: number | undefined;
    consistent?: boolean | undefined;
    isProjected?: boolean;
  },
): Promise<Omit<Gathered, 'items'> & { items: EdgeResult[] }> {
  const { graph } = context;
  const gathered = await mergePartitions(context, {
    partitions: [source],
    range: edge === undefined ? BASE_ITEMS : prefixRange(`${edge.type}-`),
    after,
    limit,
    maxRcu,
    consistent: consistent === true || mustReadConsistently(context, (key) => key.source === source),
    accept(item) {
      const kind = classifyBaseItem(graph, source, stringOf(item[graph.table.sortKey]) ?? '', item);
      return kind.kind === 'edge' && !isGone(isProjected ? kind.edge : undefined, item);
    },
    // The node's own item lies among its edges, and `accept` rejects it.
    unwanted: edge === undefined ? 1 : 0,
  });
  return { ...gathered, items: gathered.items.flatMap((item) => edgeOf(context, source, item) ?? []) };
}

export async function hasEdge(
  context: ReadContext,
  source: string,
  edgeType: string,
  target: string,
  options: ItemReadOptions = {},
): Promise<boolean> {
  checkOptions('has', options, { consistent: 'boolean', ...READ_OPTIONS });
  return (await findBaseEdge(context, source, edgeType, target, options)) !== undefined;
}

export async function readEdge(
  context: ReadContext,
  source: string,
  edgeType: string,
  target: string,
  options: ItemReadOptions = {},
): Promise<EdgeResult | null> {
  checkOptions('getEdge', options, { consistent: 'boolean', ...READ_OPTIONS });
  return (await findBaseEdge(context, source, edgeType, target, options)) ?? null;
}

async function findBaseEdge(
  context: ReadContext,
  source: string,
  edgeType: string,
  target: string,
  { consistent = false }: ItemReadOptions,
): Promise<EdgeResult | undefined> {
  const sortKey = checkedEdgeKey(context.graph, source, edgeType, target);
  const isOwn = mustReadConsistently(context, (key) => key.source === source && key.target === sortKey);
  const { item } = await context.store.get({ source, target: sortKey }, { consistent: consistent || isOwn });
  const found = item && edgeOf(context, source, item);
  // An item with a hashed key may name no target or, in theory, another one with the same hash.
  return found?.target === target ? found : undefined;
}

export function edgeOf(context: ReadContext, source: string, item: Item): EdgeResult | undefined {
  const { graph } = context;
  const kind = classifyBaseItem(graph, source, stringOf(item[graph.table.sortKey]) ?? '', item);
  if (kind.kind !== 'edge' || isGone(undefined, item)) return undefined;
  return { source, type: kind.edge.type, target: kind.target, attributes: baseAttributes(context, item, kind.edge) };
}
