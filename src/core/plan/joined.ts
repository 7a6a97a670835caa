import type { Item } from '../items/attribute-value.ts';
import { type DerivedSortKey, typePrefix } from '../items/keys.ts';
import { type CompiledModel, layersOf } from '../model/compiled.ts';
import { joinedItemsOf } from '../model/joined.ts';
import type { EdgeItemPlaces } from '../model/projection/places.ts';
import { sameShare, sourceShare } from './parts/joined-items.ts';
import { nodeSubject, type Subject } from './parts/subject.ts';
import { edgeItemsPlan } from './type-plans.ts';

/**
 * Finds the keys of joined index items: by their edge, and by ranges of their partition. `derivedOf` derives their fields, given
 * the source node.
 */

/** Whether two images of a node give the same shares to the index items of its edges of a type. */
export function givesSameShares(
  graph: CompiledModel,
  source: string,
  edgeType: string,
  before: Item | undefined,
  after: Item | undefined,
): boolean {
  return layersOf(graph).every((layer) => {
    const edge = layer.edges.get(edgeType);
    if (edge === undefined) return true;
    const subject = (image: Item | undefined): Subject | undefined => image && nodeSubject(layer, source, image);
    return edgeItemsPlan(layer, edge).joinedItems.every((plan) =>
      sameShare(sourceShare(plan, subject(before)), sourceShare(plan, subject(after))),
    );
  });
}

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

/** Whether an index item is a joined item of an edge, by the sort keys of the two. */
export function isJoinedKey(graph: CompiledModel, edgeKey: string, sortKey: string): boolean {
  return joinedKeysOf(graph, typePrefix(edgeKey) ?? '', edgeKey).some((key) => key === sortKey);
}

/** The prefixes before an edge's sort key in the keys of its type's joined index items, one for each. */
export function joinedPrefixes(graph: CompiledModel, edgeType: string): string[] {
  return joinedItemPlaces(graph, edgeType).map(({ prefix }) => prefix);
}
