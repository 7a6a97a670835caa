import { type DerivedSortKey, typePrefix } from '../items/keys.ts';
import { type CompiledModel, layersOf } from '../model/compiled.ts';
import { joinedItemsOf, needsSource, sourceNodeKeys } from '../model/joined.ts';
import type { EdgeItemPlaces } from '../model/projection/index-places.ts';
import type { ItemKey } from '../store-port.ts';

function joinedItemPlaces(graph: CompiledModel, edgeType: string): EdgeItemPlaces[] {
  return layersOf(graph).flatMap(({ edges }) =>
    joinedItemsOf(edges.get(edgeType) ?? {}).map(({ inForce }) => inForce.places),
  );
}

export function joinedKeysOf(graph: CompiledModel, edgeType: string, sortKey: string): DerivedSortKey[] {
  return joinedItemPlaces(graph, edgeType).map((places) => places.key(sortKey));
}

export function isJoinedKey(graph: CompiledModel, edgeKey: string, sortKey: string): boolean {
  return joinedKeysOf(graph, typePrefix(edgeKey) ?? '', edgeKey).some((key) => key === sortKey);
}

export function joinedPrefixes(graph: CompiledModel, edgeType: string): string[] {
  return joinedItemPlaces(graph, edgeType).map(({ prefix }) => prefix);
}

export function keysOfBase(graph: CompiledModel, base: ItemKey): ItemKey[] {
  if (!needsSource(graph, base.target)) return [base];
  const { source } = base;
  return [base, ...sourceNodeKeys(graph, source).map((target) => ({ source, target }))];
}
