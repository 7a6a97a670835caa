import { attributeOf, type Item, stringOf } from '../../core/items/attribute-value.ts';
import { CHILD } from '../../core/items/derived-item.ts';
import { BASE_ITEMS, parseNodeId } from '../../core/items/keys.ts';
import { classifyBaseItem, sortKeyOfEdge } from '../../core/model/base-item.ts';
import type { CompiledModel, EdgeModel } from '../../core/model/compiled.ts';
import { isMirrored } from '../../core/model/mirrored.ts';
import { indexOfOrder } from '../../core/model/native-indexes.ts';
import { FanOutPlaces } from '../../core/model/projection/places.ts';
import { nativePages, queryPages } from '../../core/store-pages.ts';
import type { ItemKey, QueryRequest, Store } from '../../core/store-port.ts';
import { StoreError } from '../../foundation/errors.ts';
import { CALLS_AT_ONCE, forEachSettled, slicesOf } from '../../foundation/for-each.ts';
import type { Runtime } from '../../foundation/runtime.ts';
import type { ProjectionsInForce } from '../../registry/projections-in-force.ts';
import { type ReaderLeases, withoutRegistry } from '../../registry/reader-lease.ts';
import { runAbortable } from '../../store/abortable.ts';
import { hasRate, MeteredCalls, type RateOptions } from '../../store/metered.ts';
import type { CallOptions, CallResult } from '../call/capacity.ts';
import { writableKey } from './checks/key.ts';
import { conditionFailedError, versionCondition } from './item/conditions.ts';
import { nodeKey } from './item/prepare.ts';
import { versionAttributeOf } from './item/single.ts';
import { unfinished } from './unfinished.ts';
import { writeInBatches } from './write-batches.ts';

/** The result of `deleteNodeWithEdges`. */
export interface DeletedNode extends CallResult {
  /** Number of deleted edges, outgoing and incoming. */
  edges: number;
  /** Number of deleted nodes: 1, or 0 if the node was already gone. */
  nodes: number;
  parts: number;
  /** Items in the node's partition that were left alone because their types are mirrored or outside the model. */
  skipped: number;
  /**
   * Edge types whose incoming edges may remain. With `copy` or a total under `inbound`, all are found unless the type
   * has `deletedWhen` or is mirrored. A check with `dangling` lists remaining edges.
   */
  notFound: string[];
}

/** Options of `deleteNodeWithEdges`. */
export interface DeleteOptions extends CallOptions, RateOptions {
  /** Allows looking up incoming edges in a replica in this region, as in `ReaderOptions`. */
  replica?: string | undefined;
}

interface Cascade {
  graph: CompiledModel;
  store: Store;
  projections: ProjectionsInForce;
}

type CascadeOptions = Pick<DeleteOptions, 'signal' | keyof RateOptions> & {
  leases: ReaderLeases;
  wait?: Runtime['wait'] | undefined;
};

const READ_KEYS = 100;
/** Limits the memory for sources to dozens of megabytes. Edges of further sources may be read twice. */
const MOST_REMEMBERED = 200_000;

/** Deletes the node last, so that a rerun can find the rest. */
export async function deleteNodeWithEdges(
  graph: CompiledModel,
  table: Store,
  id: string,
  options: CascadeOptions,
): Promise<DeletedNode> {
  const { leases, maxRcu, maxWcu } = options;
  return await runAbortable(table, options, (store, wait) => {
    const paced = hasRate(options) ? new MeteredCalls(store, { maxRcu, maxWcu, wait }) : store;
    return deleteAll(graph, paced, id, leases);
  });
}

async function deleteAll(graph: CompiledModel, store: Store, id: string, leases: ReaderLeases): Promise<DeletedNode> {
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
    // Throws if a projection isn't ready, before a deletion could leave edges to a missing node.
    for (const edge of found) sourcesOf(cascade, edge, id);
    // If the model changes, `find` runs again. It meets the node and skipped items again, but no deleted ones.
    result.nodes = 0;
    result.skipped = 0;
    seen = await deleteOutgoing(graph, store, id, result);
    for (const edge of found) await deleteIncoming(cascade, edge, id, result);
  };
  try {
    // If there are no incoming edges to find, the registry isn't needed.
    await (found.length === 0 ? withoutRegistry(graph) : leases).hold(find);
    await deleteNodeAsSeen(graph, store, node, seen);
  } catch (error) {
    const items = result.edges + result.parts;
    // A refusal before the first deletion passes unchanged, as does an abort's reason.
    if (items === 0 && !(error instanceof StoreError)) throw error;
    throw unfinished(error, { what: 'deleteNodeWithEdges', items, hint: 'Run it again: it looks up what is left.' });
  }
  return result;
}

/** If the type has versions, deletes only the version that was read, so that no later change is lost. */
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
      else if (isMirrored(graph, { source: id, target })) result.skipped += 1;
      else (kind === 'part' ? parts : edges).push({ source: id, target });
    }
    await deleteItems(store, parts, (count) => (result.parts += count));
    await deleteItems(store, edges, (count) => (result.edges += count));
  }
  return node;
}

async function deleteIncoming(cascade: Cascade, edge: EdgeModel, id: string, result: DeletedNode): Promise<void> {
  const { graph, store } = cascade;
  const target = sortKeyOfEdge(edge, id);
  const known = new Set<string>();
  for await (const sources of sourcesByPage(sourcesOf(cascade, edge, id))) {
    const unknown = [...new Set(sources)].filter((source) => !known.has(source));
    for (const source of unknown) if (known.size < MOST_REMEMBERED) known.add(source);
    const keys = unknown.map((source) => ({ source, target })).filter((key) => !isMirrored(graph, key));
    const deletePresent = async (some: ItemKey[]): Promise<void> => {
      const writes = (await readPresent(store, some)).map((key) => ({ delete: key }));
      await writeInBatches(store, writes, { onWritten: (count) => (result.edges += count) });
    };
    await forEachSettled(slicesOf(keys, READ_KEYS), deletePresent, { concurrency: CALLS_AT_ONCE });
  }
}

async function* sourcesByPage(places: readonly Sources[]): AsyncGenerator<string[]> {
  for (const some of slicesOf(places, CALLS_AT_ONCE)) {
    let open = some.map(({ pages, sourceOf }) => ({ pages: pages(), sourceOf }));
    while (open.length > 0) {
      const read = await Promise.all(open.map(async (place) => ({ place, page: await place.pages.next() })));
      yield read.flatMap(({ place: { sourceOf }, page }) =>
        page.done === true ? [] : page.value.items.map(sourceOf).filter((source) => source !== undefined),
      );
      open = read.filter(({ page }) => page.done !== true).map(({ place }) => place);
    }
  }
}

function namesAllIncoming({ mirrored }: CompiledModel, { type, copy, incoming, deletedWhen }: EdgeModel): boolean {
  // Reverse items and totals don't cover soft-deleted edges.
  return (copy ?? incoming) !== undefined && deletedWhen === undefined && mirrored?.has(type) !== true;
}

function canFindIncoming(edge: EdgeModel): boolean {
  const { inbound, copy, incoming } = edge;
  // An order with `partition` has an index partition per value, and only the edges have these values.
  return copy !== undefined || incoming !== undefined || (inbound !== undefined && inbound.partition === undefined);
}

interface Sources {
  pages: () => AsyncGenerator<{ items: Item[] }, void>;
  /** Undefined if the item, such as a tombstone, names no edge. */
  sourceOf: (item: Item) => string | undefined;
}

/** Several places may name the same source, whose edge may already be deleted. */
function sourcesOf({ graph, store, projections }: Cascade, edge: EdgeModel, id: string): Sources[] {
  const sources: Sources[] = [];
  const { partitionKey } = graph.table;
  const partitionOf = (item: Item): string | undefined => stringOf(item[partitionKey]);
  const childrenIn = (beginsWith: string): Sources => ({
    pages: () => queryPages(store, { partition: id, sortKey: { beginsWith }, consistent: true }),
    sourceOf: (item) => stringOf(item[CHILD]),
  });
  if (edge.copy !== undefined) {
    projections.checkReverseItems(edge);
    sources.push(childrenIn(new FanOutPlaces(edge.type).reversePrefix));
  }
  if (edge.incoming !== undefined) sources.push(childrenIn(projections.total(edge, 'inbound').itemPrefixes[0]!));
  if (edge.inbound === undefined || edge.inbound.partition !== undefined) return sources;
  const edgeKey = sortKeyOfEdge(edge, id);
  for (const declared of edge.inbound.orders.values()) {
    if (edge.inbound.native) {
      const index = indexOfOrder(graph, declared);
      const request = { index, partition: { S: edgeKey } };
      sources.push({
        pages: () => nativePages(store, request),
        // The index also has items outside the model with this sort key.
        sourceOf: (item) => {
          const source = partitionOf(item);
          return source && classifyBaseItem(graph, source, edgeKey, item).kind === 'edge' ? source : undefined;
        },
      });
      continue;
    }
    const { index, places } = projections.order(edge, declared).order;
    // The node's own item may be in the partition, and would look like an edge to itself.
    const itemKeys = places.itemKeys(edge.from, edgeKey);
    for (const partition of places.partitions(edgeKey)) {
      const request: QueryRequest = { index, partition, itemKeys };
      sources.push({ pages: () => queryPages(store, request), sourceOf: partitionOf });
    }
  }
  return sources;
}

/** Leaves out deleted edges, which a lagging index may still name. */
async function readPresent(store: Store, keys: readonly ItemKey[]): Promise<ItemKey[]> {
  if (keys.length === 0) return [];
  const { items } = await store.getMany(keys, { consistent: true });
  return keys.filter((_, i) => items[i] !== undefined);
}

async function deleteItems(store: Store, keys: readonly ItemKey[], onWritten: (items: number) => void): Promise<void> {
  const writes = keys.map((key) => ({ delete: key }));
  await writeInBatches(store, writes, { atOnce: CALLS_AT_ONCE, onWritten });
}
