import { stringOf } from '../items/attribute-value.ts';
import { isOwnerKey, parseNodeId } from '../items/keys.ts';
import { classify, sortKeyOfEdge } from '../model/base-item.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { inboundPartitions } from '../model/index-partition.ts';
import { pages, readItems } from '../store/pages.ts';
import type { ItemKey, QueryRequest, Store } from '../store/port.ts';
import { nodeKey } from './prepare.ts';

/** What `deleteNodeWithEdges` did. */
export interface DeletedNode {
  /** Edges deleted, outgoing and incoming. */
  edges: number;
  /** 1, or 0 where the node was gone already. */
  nodes: number;
  /** Items in the node's partition that look like edges of types outside the model; they are left alone. */
  skipped: number;
  wcu: number;
  rcu: number;
}

/** Sort keys of base items begin with `A` to `Z`: the range passes the derived items by without reading them. */
const BASE_SORT_KEYS = { from: 'A', to: '[' } as const;

/** Deletes a node with its edges: see `Writer.deleteNodeWithEdges`. The node goes last, so that a rest can be found again. */
export async function deleteNodeWithEdges(graph: CompiledModel, store: Store, id: string): Promise<DeletedNode> {
  const node = nodeKey(graph, id);
  const result: DeletedNode = { edges: 0, nodes: 0, skipped: 0, wcu: 0, rcu: 0 };
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
    if (edge.inbound === undefined || !edge.to.has(type)) continue;
    const target = sortKeyOfEdge(edge, id);
    for (const order of edge.inbound.orders.values()) {
      for (const partition of inboundPartitions(edge.inbound, order, target)) {
        for await (const { items } of pages(store, { index: order.index, partition }, result)) {
          // The node's own owner item is in the partition too, and would name an edge of the node to itself.
          const ofEdges = items.filter((item) => !isOwnerKey(stringOf(item[graph.table.sortKey]) ?? ''));
          const keys = ofEdges.map((item) => ({ source: stringOf(item[graph.table.partitionKey]) ?? '', target }));
          await deleteEdges(store, await present(store, keys, result), result);
        }
      }
    }
  }
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
