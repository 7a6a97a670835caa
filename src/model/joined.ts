import type { Item } from '../items/attribute-value.ts';
import { typePrefix } from '../items/keys.ts';
import {
  type CompiledModel,
  type EdgeModel,
  type InboundItem,
  type InboundSettings,
  layersOf,
  type OrderSettings,
} from './compiled.ts';

/**
 * Joined index items: those that two base items determine, an edge and its source node. The orders, the index partition and
 * the projection of an edge type say which of its items are.
 */

/** A source node as it was read; `item` is undefined where there is none. */
export interface SourceNode {
  item: Item | undefined;
}

/** Whether an index item of an edge type needs the edge's source node. */
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

/** Whether any index item of an edge type needs the edge's source node. */
export function isJoinedEdge(edge: EdgeModel): boolean {
  return joinedItemsOf(edge).length > 0;
}

const joined = new WeakMap<CompiledModel, ReadonlySet<string>>();

/** The edge types with index items that need the source node, in this model or in one that is kept beside it. */
export function joinedTypes(graph: CompiledModel): ReadonlySet<string> {
  let types = joined.get(graph);
  if (types === undefined) {
    const edges = layersOf(graph).flatMap((layer) => [...layer.edges.values()]);
    types = new Set(edges.filter(isJoinedEdge).map(({ type }) => type));
    joined.set(graph, types);
  }
  return types;
}

/** Whether what a base item wants depends on its partition's node too, by the base item's sort key. */
export function needsSource(graph: CompiledModel, sortKey: string): boolean {
  const types = joinedTypes(graph);
  return types.size > 0 && types.has(typePrefix(sortKey) ?? '');
}

/** The attributes of nodes of a type that index items of their edges use, in this model or in one that is kept beside it. */
export function attributesOfSource(graph: CompiledModel, nodeType: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { edges } of layersOf(graph)) {
    for (const { from, inbound } of edges.values()) {
      if (inbound === undefined || !from.has(nodeType)) continue;
      for (const { order } of inbound.orders.values()) {
        for (const part of order.kind === 'parts' ? order.parts : [order]) {
          if (part.kind === 'source') names.add(part.order.attribute);
        }
      }
      if (inbound.partition?.of === 'source') names.add(inbound.partition.attribute);
      for (const name of inbound.projectSource ?? []) names.add(name);
    }
  }
  return names;
}

/** The edge types that leave nodes of a type and have index items that need them. */
export function joinedTypesFrom(graph: CompiledModel, nodeType: string): string[] {
  return [...joinedTypes(graph)].filter((type) =>
    layersOf(graph).some(({ edges }) => edges.get(type)?.from.has(nodeType)),
  );
}
