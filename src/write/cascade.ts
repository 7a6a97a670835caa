import { type AttributeValue, stringOf } from '../items/attribute-value.ts';
import { CHILD } from '../items/derived-item.ts';
import { parseDerivedKey } from '../items/derived-key.ts';
import { parseNodeId, reversePrefix } from '../items/keys.ts';
import { classify, sortKeyOfEdge } from '../model/base-item.ts';
import type { CompiledModel, EdgeModel } from '../model/compiled.ts';
import { inboundPartitions } from '../model/index-partition.ts';
import { abortable } from '../store/abortable.ts';
import { pages, readItems } from '../store/pages.ts';
import type { ItemKey, QueryRequest, Store } from '../store/port.ts';
import { nodeKey } from './item/prepare.ts';

/** What `deleteNodeWithEdges` did. */
export interface DeletedNode {
  /** Edges deleted, outgoing and incoming. */
  edges: number;
  /** 1, or 0 where the node was gone already. */
  nodes: number;
  /** Items in the node's partition that look like edges of types outside the model; they are left alone. */
  skipped: number;
  /**
   * Edge types that may enter the node and whose edges cannot be found from it: they declare neither `copy` nor an `inbound`
   * without a `partition`. Such edges stay.
   */
  notFound: string[];
  /**
   * Edge types whose incoming edges only their orders name. An edge that is in none of them stays, because it, or its source
   * node, lacks what they sort by; a check with `dangling` names it.
   */
  foundByOrders: string[];
  wcu: number;
  rcu: number;
}

/** Options of `deleteNodeWithEdges`. */
export interface DeleteOptions {
  /** Stops before the next call; what was deleted stays so, and another call deletes the rest. */
  signal?: AbortSignal | undefined;
}

/** Sort keys of base items begin with `A` to `Z`: the range passes the derived items by without reading them. */
const BASE_SORT_KEYS = { from: 'A', to: '[' } as const;

/** Deletes a node with its edges: see `Writer.deleteNodeWithEdges`. The node goes last, so that a rest can be found again. */
export async function deleteNodeWithEdges(
  graph: CompiledModel,
  table: Store,
  id: string,
  { signal }: DeleteOptions = {},
): Promise<DeletedNode> {
  const store = abortable(table, signal);
  const node = nodeKey(graph, id);
  const result: DeletedNode = { edges: 0, nodes: 0, skipped: 0, notFound: [], foundByOrders: [], wcu: 0, rcu: 0 };
  await deleteOutgoing(graph, store, id, result);
  await deleteIncoming(graph, store, id, result);
  const { wcu } = await store.delete(node);
  result.wcu += wcu;
  return result;
}

async function deleteOutgoing(graph: CompiledModel, store: Store, id: string, result: DeletedNode): Promise<void> {
  const request: QueryRequest = { partition: id, sortKey: BASE_SORT_KEYS, consistent: true };
  for await (const { items } of pages(store, request, result)) {
    const edges: ItemKey[] = [];
    for (const item of items) {
      const target = stringOf(item[graph.table.sortKey]) ?? '';
      const { kind } = classify(graph, id, target, item);
      if (kind === 'node') result.nodes = 1;
      else if (kind === 'unknown') result.skipped += 1;
      else edges.push({ source: id, target });
    }
    await deleteEdges(store, edges, result);
  }
}

async function deleteIncoming(graph: CompiledModel, store: Store, id: string, result: DeletedNode): Promise<void> {
  const type = parseNodeId(id)?.type ?? '';
  for (const edge of graph.edges.values()) {
    if (!edge.to.has(type)) continue;
    if (!isFound(edge)) result.notFound.push(edge.type);
    else if (edge.copy === undefined) result.foundByOrders.push(edge.type);
    const target = sortKeyOfEdge(edge, id);
    for await (const sources of incomingSources(graph, store, edge, id, result)) {
      const keys = [...new Set(sources)].map((source) => ({ source, target }));
      await deleteEdges(store, await present(store, keys, result), result);
    }
  }
}

function isFound({ inbound, copy }: EdgeModel): boolean {
  return copy !== undefined || (inbound !== undefined && inbound.partition === undefined);
}

/**
 * The sources of the edges of a type that enter a node, page by page, as reverse items and every order name them: an edge
 * is in an order only if it has the order's attribute. One may come several times, or be gone.
 */
async function* incomingSources(
  graph: CompiledModel,
  store: Store,
  edge: EdgeModel,
  id: string,
  result: DeletedNode,
): AsyncGenerator<string[]> {
  const { partitionKey, sortKey } = graph.table;
  if (edge.copy !== undefined) {
    const request: QueryRequest = {
      partition: id,
      sortKey: { beginsWith: reversePrefix(edge.type) },
      consistent: true,
    };
    for await (const { items } of pages(store, request, result)) yield items.flatMap((item) => textsOf(item[CHILD]));
  }
  // Which partitions there are, only the edges tell.
  if (edge.inbound === undefined || edge.inbound.partition !== undefined) return;
  for (const order of edge.inbound.orders.values()) {
    for (const partition of inboundPartitions(edge.inbound, order, sortKeyOfEdge(edge, id))) {
      for await (const { items } of pages(store, { index: order.index, partition }, result)) {
        // The node's own owner item is in the partition too, and would name an edge of the node to itself.
        const ofEdges = items.filter((item) => parseDerivedKey(stringOf(item[sortKey]) ?? '')?.kind !== 'owner-item');
        yield ofEdges.flatMap((item) => textsOf(item[partitionKey]));
      }
    }
  }
}

/** A text as a list of one; a tombstone has none. */
function textsOf(value: AttributeValue | undefined): string[] {
  const text = stringOf(value);
  return text === undefined ? [] : [text];
}

/** An index lags: of the edges that it names only those are deleted and counted that are still there. */
async function present(store: Store, keys: readonly ItemKey[], result: DeletedNode): Promise<ItemKey[]> {
  const items = await readItems({ store, stats: result }, keys);
  return keys.filter((_, i) => items[i] !== undefined);
}

async function deleteEdges(store: Store, keys: readonly ItemKey[], result: DeletedNode): Promise<void> {
  if (keys.length === 0) return;
  const { wcu } = await store.writeMany(keys.map((key) => ({ delete: key })));
  result.wcu += wcu;
  result.edges += keys.length;
}
