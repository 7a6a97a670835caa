import { type Item, stringOf } from '../../../core/items/attribute-value.ts';
import { ATTRIBUTES, COPIES, EDGE_SET, EVICTED } from '../../../core/items/derived-item.ts';
import { parseNodeId } from '../../../core/items/keys.ts';
import { copyingEdge, copyOf, parentOf } from '../../../core/kinds/copy.ts';
import { viewBudgetBytes } from '../../../core/kinds/eviction.ts';
import type { CompiledModel } from '../../../core/model/compiled.ts';
import { derivedOf } from '../../../core/plan/derive.ts';
import { queryPages } from '../../../core/store-pages.ts';
import type { ReadContext } from '../request/context.ts';

/**
 * Views for reads that cannot use the stored view, because its shape is not that of the reader's model, or is being changed.
 * The planner derives the view from the base items: the same result, at the cost of a Query.
 */

/** Edges in one call. */
const EDGES_OF_PAGE = 500;

/**
 * Derives the view of a node from its base items, by the reader's model; undefined: the node has no base items. An edge type whose edges do
 * not fit into the view is marked as evicted, so that a hub is not read to its end.
 */
export async function deriveView(
  context: ReadContext,
  source: string,
  consistent: boolean,
): Promise<{ view: Item | undefined; calls: number }> {
  const { graph, store } = context;
  const { item } = await store.get({ source, target: source }, { consistent });
  const { attributes } = derivedOf(graph, source, source, item);
  const elements: string[] = [];
  const evicted: string[] = [];
  const copying: string[] = [];
  let calls = 1;
  let bytesLeft = viewBudgetBytes(graph, source);
  for (const type of listedTypes(graph, source)) {
    const read = await readElements(context, { source, type, consistent, bytesLeft });
    calls += read.calls;
    if (!read.isWhole) {
      evicted.push(type);
      continue;
    }
    bytesLeft -= read.bytes;
    for (const [target, element] of read.elements) {
      elements.push(element);
      if (copyingEdge(graph, target) !== undefined) copying.push(target);
    }
  }
  const copies: Item = {};
  // rule: base-items-instead-of-a-view-bring-their-parents
  if (copying.length > 0) {
    const parents = copying.map((edge) => ({ source: parentOf(edge), target: parentOf(edge) }));
    const read = await store.getMany(parents, { consistent });
    calls += read.calls;
    for (const [i, edge] of copying.entries()) {
      const copy = copyOf(graph, copyingEdge(graph, edge)!, read.items[i]);
      if (copy !== undefined) copies[edge] = { M: copy };
    }
  }
  if (elements.length === 0 && evicted.length === 0 && attributes === undefined) return { view: undefined, calls };
  const view: Item = {
    ...(elements.length > 0 && { [EDGE_SET]: { SS: elements } }),
    ...(evicted.length > 0 && { [EVICTED]: { SS: evicted } }),
    ...(attributes && { [ATTRIBUTES]: { M: attributes } }),
    ...(copying.length > 0 && { [COPIES]: { M: copies } }),
  };
  return { view, calls };
}

/** The edge types that the edge sets of a node have. */
function listedTypes(graph: CompiledModel, source: string): string[] {
  const type = parseNodeId(source)?.type ?? '';
  return [...graph.edges.values()].flatMap((edge) =>
    edge.labels !== undefined && edge.from.has(type) ? edge.type : [],
  );
}

/** The edges of a type, and how much of a view they may take. */
interface ElementsAsked {
  source: string;
  type: string;
  consistent: boolean;
  bytesLeft: number;
}

/** The elements of the edges of a type by the edges' sort keys, page by page until they are too large for the view. */
async function readElements(
  { graph, store, spending }: ReadContext,
  { source, type, consistent, bytesLeft }: ElementsAsked,
): Promise<{ elements: [target: string, element: string][]; bytes: number; isWhole: boolean; calls: number }> {
  const elements: [string, string][] = [];
  let bytes = 0;
  let calls = 0;
  const request = { partition: source, sortKey: { beginsWith: `${type}-` }, consistent, limit: EDGES_OF_PAGE };
  if (spending?.isSpent) return { elements, bytes, isWhole: false, calls };
  for await (const { items, lastKey } of queryPages(store, request)) {
    calls += 1;
    for (const item of items) {
      const target = stringOf(item[graph.table.sortKey]) ?? '';
      const { element } = derivedOf(graph, source, target, item);
      if (element === undefined) continue;
      elements.push([target, element]);
      bytes += Buffer.byteLength(element);
    }
    const isEnding = lastKey === undefined;
    if (bytes > bytesLeft || (!isEnding && spending?.isSpent)) return { elements, bytes, isWhole: false, calls };
  }
  return { elements, bytes, isWhole: true, calls };
}
