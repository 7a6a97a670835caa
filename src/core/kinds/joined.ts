import { type DerivedSortKey, typePrefix } from '../items/keys.ts';
import { type CompiledModel, layersOf } from '../model/compiled.ts';
import { joinedItemsOf } from '../model/joined.ts';
import type { EdgeItemPlaces } from '../model/projection/index-places.ts';

/**
 * Finds the keys of joined index items: by their edge, and by ranges of their partition. `derivedOf` derives their fields, given
 * the source node.
 */

/** The places of the joined index items of an edge type. */
function joinedItemPlaces(graph: CompiledModel, edgeType: string): EdgeItemPlaces[] {
  return layersOf(graph).flatMap(({ edges }) =>
    joinedItemsOf(edges.get(edgeType) ?? {}).map(({ inForce }) => inForce.places),
  );
}

/** The sort keys of an edge's joined index items, expected or not. */
export function joinedKeysOf(graph: CompiledModel, edgeType: string, sortKey: string): DerivedSortKey[] {
  return joinedItemPlaces(graph, edgeType).map((places) => places.key(sortKey));
}

/** Tells whether an index item is a joined item of an edge, by the sort keys of the two. */
export function isJoinedKey(graph: CompiledModel, edgeKey: string, sortKey: string): boolean {
  return joinedKeysOf(graph, typePrefix(edgeKey) ?? '', edgeKey).some((key) => key === sortKey);
}

/** The prefixes before an edge's sort key in the keys of its type's joined index items, one for each. */
export function joinedPrefixes(graph: CompiledModel, edgeType: string): string[] {
  return joinedItemPlaces(graph, edgeType).map(({ prefix }) => prefix);
}
