import { EdgeloomError } from '../../errors.ts';
import { stringOf } from '../../items/attribute-value.ts';
import { parseNodeId } from '../../items/keys.ts';
import { classify } from '../../model/base-item.ts';
import { checkOptions } from '../../options.ts';
import { scatter } from '../lists/scatter.ts';
import { checkLimit, type ReadContext } from '../request/context.ts';
import { type CursorBinding, decodeCursor, encodeCursor } from '../request/cursor.ts';
import { type KeyRange, prefixRange } from '../request/key-range.ts';
import { checkSource, findEdge, targetKey } from '../request/lookup.ts';
import { baseAttributes, type EdgeResult, type Page } from '../request/result.ts';

/** Options of `edges`. */
export interface EdgesOptions {
  /** Edges in a page, 1 and up. Default 100. */
  limit?: number | undefined;
  /** The `cursor` of the page before. */
  cursor?: string | undefined;
  /**
   * Strongly consistent, at twice the capacity: the base edges as the last puts and deletes left them. Default false: what
   * was written in the last moments may not show yet.
   */
  consistent?: boolean | undefined;
}

/** Options of `has`. */
export interface HasOptions {
  /**
   * Strongly consistent, at twice the capacity: the base edge as its last put or delete left it. Default false: what was
   * written in the last moments may not show yet.
   */
  consistent?: boolean | undefined;
}

/** Types begin with `A` to `Z`: the range leaves derived items, `~`, unread. */
const BASE_ITEMS: KeyRange = { from: 'A', to: '[' };
/** Base items come in the order of their sort keys, whatever the model says. */
const BASE_ORDER = '';

/** A node's outgoing edges, one page: see `Reader.edges`. */
export async function readEdges(
  context: ReadContext,
  source: string,
  edgeType: string | undefined,
  options: EdgesOptions = {},
): Promise<Page<EdgeResult>> {
  checkOptions('edges', options, { limit: true, cursor: true, consistent: true });
  const { graph, cursorKey } = context;
  checkSource(graph, source);
  const edge = edgeType === undefined ? undefined : findEdge(graph, edgeType);
  const limit = checkLimit(options.limit);
  const bound: CursorBinding = { query: ['edges', source, edge?.type], meaning: BASE_ORDER };
  const after = options.cursor === undefined ? undefined : decodeCursor(options.cursor, bound, cursorKey);
  const sortKeyOf = (item: Parameters<typeof baseAttributes>[1]): string => stringOf(item[graph.table.sortKey]) ?? '';
  const { items, lastKey } = await scatter(context, {
    partitions: [source],
    range: edge === undefined ? BASE_ITEMS : prefixRange(`${edge.type}-`),
    after,
    limit,
    consistent: options.consistent,
    accept: (item) => classify(graph, source, sortKeyOf(item), item).kind === 'edge',
    // The node itself lies among its edges.
    unwanted: edge === undefined ? 1 : 0,
  });
  const results = items.flatMap((item): EdgeResult[] => {
    const kind = classify(graph, source, sortKeyOf(item), item);
    if (kind.kind !== 'edge') return [];
    const { edge, target } = kind;
    return [{ source, type: edge.type, target, attributes: baseAttributes(context, item, edge) }];
  });
  return { items: results, ...(lastKey !== undefined && { cursor: encodeCursor(lastKey, bound, cursorKey) }) };
}

/** Whether an edge exists: see `Reader.has`. */
export async function hasEdge(
  { graph, store }: ReadContext,
  source: string,
  edgeType: string,
  target: string,
  options: HasOptions = {},
): Promise<boolean> {
  checkOptions('has', options, { consistent: true });
  const { consistent = false } = options;
  checkSource(graph, source);
  const edge = findEdge(graph, edgeType);
  const sourceType = parseNodeId(source)!.type;
  if (!edge.from.has(sourceType)) {
    throw new EdgeloomError(
      'unknown-type',
      `Edges of type ${edgeType} do not leave nodes of type ${sourceType}.`,
      `They leave ${[...edge.from].join(', ')}.`,
    );
  }
  const sortKey = targetKey(edge, target);
  const { item } = await store.get({ source, target: sortKey }, { consistent });
  if (item === undefined) return false;
  // An item under a hashed key may name no target, or in theory another one with the same hash.
  const kind = classify(graph, source, sortKey, item);
  return kind.kind === 'edge' && kind.target === target;
}
