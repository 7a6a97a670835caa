import { attributeOf, type Item, stringOf } from '../../core/items/attribute-value.ts';
import { CHILD } from '../../core/items/derived-item.ts';
import { BASE_ITEMS, parseNodeId } from '../../core/items/keys.ts';
import { classifyBaseItem, sortKeyOfEdge } from '../../core/model/base-item.ts';
import type { CompiledModel, EdgeModel } from '../../core/model/compiled.ts';
import { isMirrored } from '../../core/model/mirrored.ts';
import { indexOfOrder } from '../../core/model/native.ts';
import { FanOutPlaces } from '../../core/model/projection/places.ts';
import { nativePages, queryPages } from '../../core/store-pages.ts';
import type { ItemKey, QueryRequest, Store } from '../../core/store-port.ts';
import { StoreError } from '../../foundation/errors.ts';
import type { ProjectionsInForce } from '../../registry/projections-in-force.ts';
import { type ReaderLeases, withoutRegistry } from '../../registry/reader-lease.ts';
import { abortableStore } from '../../store/abortable.ts';
import type { CallOptions, CallResult } from '../call/capacity.ts';
import { writableKey } from './checks/key.ts';
import { conditionFailedError } from './item/conditions.ts';
import { nodeKey } from './item/prepare.ts';
import { versionAttributeOf } from './item/single.ts';
import { versionCondition } from './item/version.ts';
import { BATCH_ITEMS, unfinished } from './unfinished.ts';

/** The result of `deleteNodeWithEdges`. */
export interface DeletedNode extends CallResult {
  /** Edges deleted, outgoing and incoming. */
  edges: number;
  /** 1, or 0 where the node was gone already. */
  nodes: number;
  /** Parts of the node deleted. */
  parts: number;
  /** Items in the node's partition that are of types outside the model; they are left alone. */
  skipped: number;
  /**
   * Edge types of which edges that enter the node may be left. Only `copy`, or a total under `inbound`, names every edge of a type. An order
   * lacks the edges without its attribute and, unless it is native, those that are soft-deleted; an order with a `partition` cannot be
   * asked. Edges of mirrored types stay. A check with `dangling` names the edges that are left.
   */
  notFound: string[];
}

/** Options of `deleteNodeWithEdges`. */
export interface DeleteOptions extends CallOptions {
  /** Region of a replica that incoming edges are looked up in, where the table is at home in another: as of a reader. */
  replica?: string | undefined;
}

/** The context of the look-ups of incoming edges. */
interface Cascade {
  graph: CompiledModel;
  store: Store;
  projections: ProjectionsInForce;
}

/** Deletes a node with its edges: see `Writer.deleteNodeWithEdges`. The node goes last, so that a rest can be found again. */
export async function deleteNodeWithEdges(
  graph: CompiledModel,
  table: Store,
  id: string,
  { leases, signal }: Pick<DeleteOptions, 'signal'> & { leases: ReaderLeases },
): Promise<DeletedNode> {
  const store = abortableStore(table, signal);
  const node = writableKey(graph, nodeKey(graph, id));
  const type = parseNodeId(id)?.type ?? '';
  const entering = [...graph.edges.values()].filter(({ to }) => to.has(type));
  const found = entering.filter(canFindIncoming);
  const result: DeletedNode = {
    edges: 0,
    nodes: 0,
    parts: 0,
    skipped: 0,
    notFound: entering.filter((edge) => !namesAllIncoming(graph, edge)).map(({ type: name }) => name),
  };
  let seen: Item | undefined;
  const find = async (projections: ProjectionsInForce): Promise<void> => {
    const cascade: Cascade = { graph, store, projections };
    // Before anything is deleted: what is not ready would leave edges to a node that is gone.
    for (const edge of found) sourcesOf(cascade, edge, id);
    seen = await deleteOutgoing(graph, store, id, result);
    for (const edge of found) await deleteIncoming(cascade, edge, id, result);
  };
  try {
    // Where no edges enter the node, nothing depends on the registry.
    await (found.length === 0 ? withoutRegistry(graph) : leases).hold(find);
    await deleteNodeAsSeen(graph, store, node, seen);
  } catch (error) {
    const items = result.edges + result.parts;
    // What was refused before it began, or at its end, is the error of that alone.
    if (!(error instanceof StoreError)) throw error;
    throw unfinished(error, { what: 'deleteNodeWithEdges', items, hint: 'Run it again: it looks up what is left.' });
  }
  return result;
}

/** Deletes the node; one with versions only as it was seen, so that a later change is not lost. */
async function deleteNodeAsSeen(
  graph: CompiledModel,
  store: Store,
  node: ItemKey,
  seen: Item | undefined,
): Promise<void> {
  const version = versionAttributeOf(graph, node);
  if (version === undefined) {
    await store.delete(node);
    return;
  }
  const condition = versionCondition(version, attributeOf(seen ?? {}, version));
  const result = await store.change({ kind: 'delete', key: node, condition });
  if (!result.applied) throw conditionFailedError(graph, node, condition, result.current);
}

/** Deletes parts and edges; returns the node, where there is one. */
async function deleteOutgoing(
  graph: CompiledModel,
  store: Store,
  id: string,
  result: DeletedNode,
): Promise<Item | undefined> {
  let node: Item | undefined;
  const request: QueryRequest = { partition: id, sortKey: BASE_ITEMS, consistent: true };
  for await (const { items } of queryPages(store, request)) {
    const edges: ItemKey[] = [];
    const parts: ItemKey[] = [];
    for (const item of items) {
      const target = stringOf(item[graph.table.sortKey]) ?? '';
      const { kind } = classifyBaseItem(graph, id, target, item);
      if (kind === 'node') {
        result.nodes = 1;
        node = item;
      } else if (kind === 'unknown') result.skipped += 1;
      // One of a mirrored type is not ours.
      else if (isMirrored(graph, { source: id, target })) result.skipped += 1;
      else (kind === 'part' ? parts : edges).push({ source: id, target });
    }
    await deleteItems(store, parts, result, 'parts');
    await deleteItems(store, edges, result, 'edges');
  }
  return node;
}

async function deleteIncoming(cascade: Cascade, edge: EdgeModel, id: string, result: DeletedNode): Promise<void> {
  const { store } = cascade;
  const target = sortKeyOfEdge(edge, id);
  for (const { pages, sourceOf } of sourcesOf(cascade, edge, id)) {
    for await (const { items } of pages()) {
      const sources = items.map(sourceOf).filter((source) => source !== undefined);
      const keys = [...new Set(sources)]
        .map((source) => ({ source, target }))
        .filter((key) => !isMirrored(cascade.graph, key));
      await deleteItems(store, await readPresent(store, keys), result, 'edges');
    }
  }
}

/** Tells whether a node's incoming edges of a type are all deleted with the node. */
function namesAllIncoming({ mirrored }: CompiledModel, { type, copy, incoming, deletedWhen }: EdgeModel): boolean {
  // A soft-deleted edge is in no reverse item and in no total.
  return (copy ?? incoming) !== undefined && deletedWhen === undefined && mirrored?.has(type) !== true;
}

function canFindIncoming(edge: EdgeModel): boolean {
  const { inbound, copy, incoming } = edge;
  // Which partitions there are, only the edges tell.
  return copy !== undefined || incoming !== undefined || (inbound !== undefined && inbound.partition === undefined);
}

/** Items that name edges. */
interface Sources {
  pages: () => AsyncIterable<{ items: Item[] }>;
  /** The source of the edge that an item names; undefined: it names none, as a tombstone. */
  sourceOf: (item: Item) => string | undefined;
}

/**
 * Returns the places that name the sources of a node's incoming edges: reverse items, entries of a total, and every order. An edge is
 * in an order only if it has the order's attribute. A source may be named several times, or be deleted by now. Throws
 * `projection-not-ready` if one of the places does not name all of its edges yet.
 */
function sourcesOf({ graph, store, projections }: Cascade, edge: EdgeModel, id: string): Sources[] {
  const sources: Sources[] = [];
  const { partitionKey } = graph.table;
  const childOf = (item: Item): string | undefined => stringOf(item[CHILD]);
  const partitionOf = (item: Item): string | undefined => stringOf(item[partitionKey]);
  if (edge.copy !== undefined) {
    projections.checkReverseItems(edge);
    const sortKey = { beginsWith: new FanOutPlaces(edge.type).reversePrefix };
    sources.push({ pages: () => queryPages(store, { partition: id, sortKey, consistent: true }), sourceOf: childOf });
  }
  if (edge.incoming !== undefined) {
    const { itemPrefixes } = projections.total(edge, true);
    const sortKey = { beginsWith: itemPrefixes[0]! };
    sources.push({ pages: () => queryPages(store, { partition: id, sortKey, consistent: true }), sourceOf: childOf });
  }
  if (edge.inbound === undefined || edge.inbound.partition !== undefined) return sources;
  const edgeKey = sortKeyOfEdge(edge, id);
  for (const declared of edge.inbound.orders.values()) {
    if (edge.inbound.native) {
      const index = indexOfOrder(graph, declared);
      const request = { index, partition: { S: edgeKey } };
      sources.push({
        pages: () => nativePages(store, request),
        // The index has each item with the sort key, also one that is no edge of the model, which is left alone.
        sourceOf: (item) => {
          const source = partitionOf(item);
          return source && classifyBaseItem(graph, source, edgeKey, item).kind === 'edge' ? source : undefined;
        },
      });
      continue;
    }
    const { index, places } = projections.order(edge, declared).order;
    // The node's own item may be in the partition, too, and would name an edge of the node to itself.
    const itemKeys = places.itemKeys(edge.from, edgeKey);
    for (const partition of places.partitions(edgeKey)) {
      const request: QueryRequest = { index, partition, itemKeys };
      sources.push({ pages: () => queryPages(store, request), sourceOf: partitionOf });
    }
  }
  return sources;
}

/** Returns the keys whose items still exist: an index lags, and may name edges that are deleted by now. */
async function readPresent(store: Store, keys: readonly ItemKey[]): Promise<ItemKey[]> {
  if (keys.length === 0) return [];
  const { items } = await store.getMany(keys, { consistent: true });
  return keys.filter((_, i) => items[i] !== undefined);
}

async function deleteItems(
  store: Store,
  keys: readonly ItemKey[],
  result: DeletedNode,
  counted: 'edges' | 'parts',
): Promise<void> {
  if (keys.length === 0) return;
  for (let start = 0; start < keys.length; start += BATCH_ITEMS) {
    const chunk = keys.slice(start, start + BATCH_ITEMS);
    await store.writeMany(chunk.map((key) => ({ delete: key })));
    result[counted] += chunk.length;
  }
}
