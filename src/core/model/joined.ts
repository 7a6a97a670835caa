import { attributeOf, type Item, setOwn } from '../items/attribute-value.ts';
import { parseNodeId, typePrefix } from '../items/keys.ts';
import {
  type CompiledModel,
  type EdgeModel,
  type InboundItem,
  type InboundSettings,
  layersOf,
  type OrderSettings,
  oncePer,
} from './compiled.ts';
import { isGone } from './gone.ts';

/**
 * A source node, as joined index items use it: its attributes include those of its parts, under names such as
 * `STATE.status`.
 */
export interface SourceNode {
  item: Item | undefined;
}

/** An edge type may have both joined and other items. */
export function isJoinedItem(
  { projectSource, partition }: Pick<InboundSettings, 'projectSource' | 'partition'>,
  { orders }: { orders: readonly OrderSettings[] },
): boolean {
  if (projectSource !== undefined || partition?.of === 'source') return true;
  return orders.some(({ order }) => {
    return order.kind === 'source' || (order.kind === 'parts' && order.parts.some(({ kind }) => kind === 'source'));
  });
}

export function joinedItemsOf({ inbound }: Pick<EdgeModel, 'inbound'>): InboundItem[] {
  return inbound?.items.filter((item) => isJoinedItem(inbound, item)) ?? [];
}

export function isJoinedEdge(edge: EdgeModel): boolean {
  return joinedItemsOf(edge).length > 0;
}

export const joinedEdgeTypes = oncePer((graph: CompiledModel): ReadonlySet<string> => {
  const edges = layersOf(graph).flatMap((layer) => [...layer.edges.values()]);
  return new Set(edges.filter(isJoinedEdge).map(({ type }) => type));
});

export function needsSource(graph: CompiledModel, sortKey: string): boolean {
  const types = joinedEdgeTypes(graph);
  return types.size > 0 && types.has(typePrefix(sortKey) ?? '');
}

export function attributesOfSource(graph: CompiledModel, nodeType: string): ReadonlySet<string> {
  const edges = layersOf(graph).flatMap((layer) => [...layer.edges.values()]);
  return new Set(edges.filter(({ from }) => from.has(nodeType)).flatMap(sourceAttributesOf));
}

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

const NO_PARTS: ReadonlyMap<string, readonly string[]> = new Map();
const OF_PART = /^([A-Z][A-Z0-9_]*)\.(.+)$/s;

const partsByType = oncePer((graph: CompiledModel) => {
  const types = layersOf(graph).flatMap(({ nodes }) => [...nodes.keys()]);
  return new Map(types.map((type) => [type, attributesByPart(attributesOfSource(graph, type))]));
});

export function partsOfSource(graph: CompiledModel, nodeType: string): ReadonlyMap<string, readonly string[]> {
  return partsByType(graph).get(nodeType) ?? NO_PARTS;
}

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

export function isPartOfSource(graph: CompiledModel, source: string, sortKey: string): boolean {
  return partsOfSource(graph, parseNodeId(source)?.type ?? '').has(sortKey);
}

/** The node's own sort key is first. */
export function sourceNodeKeys(graph: CompiledModel, source: string): string[] {
  return [source, ...partsOfSource(graph, parseNodeId(source)?.type ?? '').keys()];
}

/** @param items in the order of `sourceNodeKeys`. */
export function sourceNodeOf(
  graph: CompiledModel,
  source: string,
  [node, ...parts]: readonly (Item | undefined)[],
): SourceNode {
  if (node === undefined || parts.length === 0) return { item: node };
  const item = { ...node };
  for (const [i, part] of sourceNodeKeys(graph, source).slice(1).entries()) {
    Object.assign(item, partAttributesAsSource(graph, source, part, parts[i]));
  }
  return { item };
}

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

export function joinedTypesFrom(graph: CompiledModel, nodeType: string): string[] {
  return [...joinedEdgeTypes(graph)].filter((type) =>
    layersOf(graph).some(({ edges }) => edges.get(type)?.from.has(nodeType)),
  );
}
