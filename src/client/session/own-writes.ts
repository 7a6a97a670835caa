import { type Item, stringOf } from '../../core/items/attribute-value.ts';
import { INDEX_KEYS } from '../../core/items/derived-item.ts';
import { parseDerivedKey } from '../../core/items/derived-key.ts';
import { parseNodeId, typePrefix } from '../../core/items/keys.ts';
import type { CompiledModel, EdgeModel, IndexName } from '../../core/model/compiled.ts';
import {
  isJoinedEdge,
  isPartOfSource,
  type SourceNode,
  sourceNodeKeys,
  sourceNodeOf,
} from '../../core/model/joined.ts';
import { derivedOf } from '../../core/plan/derive.ts';
import type { ItemKey, Store } from '../../core/store-port.ts';

/** `item` is read consistently, and undefined after a delete. */
export interface OwnWrite extends ItemKey {
  item: Item | undefined;
  node?: SourceNode;
}

export interface Overlay {
  items: Item[];
  isReplaced: (row: Item) => boolean;
  sources: ReadonlySet<string>;
}

/** `parents` holds, by id, the existing nodes outside `writes` that the written edges copy attributes from. */
export interface OwnWrites {
  writes: readonly OwnWrite[];
  parents: ReadonlyMap<string, Item>;
}

export async function readOwnWrites(graph: CompiledModel, store: Store, keys: readonly ItemKey[]): Promise<OwnWrites> {
  const parents = new Map<string, Item>();
  if (keys.length === 0) return { writes: [], parents };
  const { items } = await store.getMany(keys, { consistent: true });
  const writes = keys.map((key, i) => ({ ...key, item: items[i] }));
  const ids = parentsToRead(graph, writes);
  if (ids.length === 0) return { writes, parents };
  const found = await store.getMany(
    ids.map((id) => ({ source: id, target: id })),
    { consistent: true },
  );
  for (const [i, id] of ids.entries()) if (found.items[i] !== undefined) parents.set(id, found.items[i]);
  return { writes, parents };
}

export function affectsInbound(
  graph: CompiledModel,
  { edge, edgeKey }: { edge: EdgeModel; edgeKey: string },
  key: ItemKey,
): boolean {
  return key.target === edgeKey || (isJoinedEdge(edge) && isOfSourceNode(graph, key));
}

function isOfSourceNode(graph: CompiledModel, { source, target }: ItemKey): boolean {
  return source === target || isPartOfSource(graph, source, target);
}

/** Includes edges of nodes that the session wrote, since a changed node may move them within the list. */
export async function ownEdgesOf(
  { graph, store }: { graph: CompiledModel; store: Pick<Store, 'getMany'> },
  edge: EdgeModel,
  edgeKey: string,
  writes: readonly OwnWrite[],
): Promise<OwnWrite[]> {
  const edges = writes.filter(({ target }) => target === edgeKey);
  if (!isJoinedEdge(edge)) return edges;
  const leaving = writes.filter((write) => {
    return isOfSourceNode(graph, write) && edge.from.has(parseNodeId(write.source)?.type ?? '');
  });
  const sources = [...new Set([...edges, ...leaving].map(({ source }) => source))];
  if (sources.length === 0) return [];
  const keys = sources.map((source) => [edgeKey, ...sourceNodeKeys(graph, source)]);
  const { items } = await store.getMany(
    sources.flatMap((source, i) => keys[i]!.map((target) => ({ source, target }))),
    { consistent: true },
  );
  let next = 0;
  return sources.map((source, i) => {
    const [item, ...node] = items.slice(next, next + keys[i]!.length);
    next += keys[i]!.length;
    return { source, target: edgeKey, item, node: sourceNodeOf(graph, source, node) };
  });
}

function parentsToRead(graph: CompiledModel, writes: readonly OwnWrite[]): string[] {
  const known = new Set(writes.filter(({ source, target }) => source === target).map(({ source }) => source));
  const parents = writes.flatMap(({ target, item }) => {
    const type = typePrefix(target) ?? '';
    if (item === undefined || graph.edges.get(type)?.copy === undefined) return [];
    return [target.slice(type.length + 1)];
  });
  return [...new Set(parents)].filter((id) => !known.has(id));
}

/** `own` holds edges to one target, or nodes, so the source identifies each write. */
export function overlayOf(
  graph: CompiledModel,
  own: readonly OwnWrite[],
  index: IndexName,
  partitions: readonly string[],
): Overlay {
  const asked = new Set(partitions);
  const sources = new Set(own.map(({ source }) => source));
  const { partitionKey } = graph.table;
  return {
    items: own.flatMap((write) => expectedItemsIn(graph, write, index, asked, 'index-item')),
    isReplaced: (row) => sources.has(stringOf(row[partitionKey]) ?? ''),
    sources,
  };
}

export function targetItemNow(
  graph: CompiledModel,
  write: OwnWrite,
  index: IndexName,
  partitions: readonly string[],
): Item | undefined {
  return expectedItemsIn(graph, write, index, new Set(partitions), 'target-item')[0];
}

function expectedItemsIn(
  graph: CompiledModel,
  { source, target, item, node }: OwnWrite,
  index: IndexName,
  partitions: ReadonlySet<string>,
  kind: 'index-item' | 'target-item',
): Item[] {
  const { partitionKey, sortKey } = graph.table;
  return [...derivedOf(graph, source, target, item, node).indexItems]
    .filter(([key]) => parseDerivedKey(key)?.kind === kind)
    .filter(([, fields]) => partitions.has(stringOf(fields[INDEX_KEYS[index].partition]) ?? ''))
    .map(([key, fields]) => ({ ...fields, [partitionKey]: { S: source }, [sortKey]: { S: key } }));
}
