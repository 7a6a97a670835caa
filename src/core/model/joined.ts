import { attributeOf, type Item, setOwn } from '../items/attribute-value.ts';
import { parseNodeId, typePrefix } from '../items/keys.ts';
import {
  type CompiledModel,
  type EdgeModel,
  type InboundItem,
  type InboundSettings,
  layersOf,
  type OrderSettings,
} from './compiled.ts';
import { isGone } from './gone.ts';

/**
 * Joined index items: those that two base items determine, an edge and its source node. The orders, the index partition and
 * the projection of an edge type say which of its items are.
 *
 * An attribute of a part of the source node has the part's name before it: `STATE.status`. Then that part decides too, and counts as a
 * piece of the source node: it is read together with the node, and its attributes are those of the node under these names.
 */

/** A source node as it was read, with the attributes of its parts under their names; `item` is undefined where there is none. */
export interface SourceNode {
  item: Item | undefined;
}

/**
 * Tells whether the index item with these orders needs the edge's source node: for projected attributes, for the partition, or for one of
 * the orders. The answer may differ between the index items of one edge type.
 */
export function isJoinedItem(
  { projectSource, partition }: Pick<InboundSettings, 'projectSource' | 'partition'>,
  { orders }: { orders: readonly OrderSettings[] },
): boolean {
  if (projectSource !== undefined || partition?.of === 'source') return true;
  return orders.some(({ order }) => {
    return order.kind === 'source' || (order.kind === 'parts' && order.parts.some(({ kind }) => kind === 'source'));
  });
}

/** The index items of an edge type that need the edge's source node. */
export function joinedItemsOf({ inbound }: Pick<EdgeModel, 'inbound'>): InboundItem[] {
  return inbound?.items.filter((item) => isJoinedItem(inbound, item)) ?? [];
}

/** Tells whether any index item of an edge type needs the edge's source node. */
export function isJoinedEdge(edge: EdgeModel): boolean {
  return joinedItemsOf(edge).length > 0;
}

const joined = new WeakMap<CompiledModel, ReadonlySet<string>>();

/** The edge types with index items that need the source node, in this model or in one that is maintained with it. */
export function joinedEdgeTypes(graph: CompiledModel): ReadonlySet<string> {
  let types = joined.get(graph);
  if (types === undefined) {
    const edges = layersOf(graph).flatMap((layer) => [...layer.edges.values()]);
    types = new Set(edges.filter(isJoinedEdge).map(({ type }) => type));
    joined.set(graph, types);
  }
  return types;
}

/** Tells whether what a base item wants depends on its partition's node too, by the base item's sort key. */
export function needsSource(graph: CompiledModel, sortKey: string): boolean {
  const types = joinedEdgeTypes(graph);
  return types.size > 0 && types.has(typePrefix(sortKey) ?? '');
}

/** The attributes of nodes of a type that index items of their edges use, in this model or in one that is maintained with it. */
export function attributesOfSource(graph: CompiledModel, nodeType: string): ReadonlySet<string> {
  const edges = layersOf(graph).flatMap((layer) => [...layer.edges.values()]);
  return new Set(edges.filter(({ from }) => from.has(nodeType)).flatMap(sourceAttributesOf));
}

/** The attributes of the source node that index items of an edge type use. */
export function sourceAttributesOf({ inbound }: Pick<EdgeModel, 'inbound'>): string[] {
  if (inbound === undefined) return [];
  const names: string[] = [];
  for (const { order } of inbound.orders.values()) {
    for (const part of order.kind === 'parts' ? order.parts : [order]) {
      if (part.kind === 'source') names.push(part.order.attribute);
    }
  }
  if (inbound.partition?.of === 'source') names.push(inbound.partition.attribute);
  return [...names, ...(inbound.projectSource ?? [])];
}

/** An attribute of a part, as index items of edges name it. */
const OF_PART = /^([A-Z][A-Z0-9_]*)\.(.+)$/s;

const sourceParts = new WeakMap<CompiledModel, Map<string, ReadonlyMap<string, readonly string[]>>>();

/** The parts of nodes of a type that index items of their edges use, with the attributes of each. */
export function partsOfSource(graph: CompiledModel, nodeType: string): ReadonlyMap<string, readonly string[]> {
  const ofTypes = sourceParts.get(graph) ?? new Map<string, ReadonlyMap<string, readonly string[]>>();
  let parts = ofTypes.get(nodeType);
  if (parts === undefined) {
    parts = attributesByPart(attributesOfSource(graph, nodeType));
    sourceParts.set(graph, ofTypes.set(nodeType, parts));
  }
  return parts;
}

/** The parts of its source node that index items of an edge type use, with the attributes of each. */
export function partsOfEdge(edge: Pick<EdgeModel, 'inbound'>): ReadonlyMap<string, readonly string[]> {
  return attributesByPart(new Set(sourceAttributesOf(edge)));
}

function attributesByPart(names: Iterable<string>): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const name of names) {
    const [, part, attribute] = OF_PART.exec(name) ?? [];
    if (part !== undefined) found.set(part, [...(found.get(part) ?? []), attribute!]);
  }
  return found;
}

/** Tells whether a base item is a part of its partition's node that index items of the node's edges use. */
export function isPartOfSource(graph: CompiledModel, source: string, sortKey: string): boolean {
  return partsOfSource(graph, parseNodeId(source)?.type ?? '').has(sortKey);
}

/** The sort keys of the items that are read as a source node: the node, then the parts of it that index items of its edges use. */
export function sourceNodeKeys(graph: CompiledModel, source: string): string[] {
  return [source, ...partsOfSource(graph, parseNodeId(source)?.type ?? '').keys()];
}

/**
 * The source node of the items that were read for it.
 *
 * @param items parallel to `sourceNodeKeys`.
 */
export function sourceNodeOf(
  graph: CompiledModel,
  source: string,
  [node, ...parts]: readonly (Item | undefined)[],
): SourceNode {
  // rule: parts-decide-only-while-the-node-is
  if (node === undefined || parts.length === 0) return { item: node };
  const item = { ...node };
  for (const [i, part] of sourceNodeKeys(graph, source).slice(1).entries()) {
    Object.assign(item, partAttributesAsSource(graph, source, part, parts[i]));
  }
  return { item };
}

/** The attributes of a part that index items of edges use, under the names that they have there. */
export function partAttributesAsSource(
  graph: CompiledModel,
  source: string,
  part: string,
  image: Item | undefined,
): Item {
  const named: Item = {};
  for (const attribute of partsOfSource(graph, parseNodeId(source)?.type ?? '').get(part) ?? []) {
    const value = image && !isGone(undefined, image) ? attributeOf(image, attribute) : undefined;
    if (value !== undefined) setOwn(named, `${part}.${attribute}`, value);
  }
  return named;
}

/** The edge types that leave nodes of a type and have index items that need them. */
export function joinedTypesFrom(graph: CompiledModel, nodeType: string): string[] {
  return [...joinedEdgeTypes(graph)].filter((type) =>
    layersOf(graph).some(({ edges }) => edges.get(type)?.from.has(nodeType)),
  );
}
