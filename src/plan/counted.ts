import { typePrefix } from '../items/keys.ts';
import { type CompiledModel, layersOf } from '../model/compiled.ts';
import { type CountPlaces, placesOfCount } from '../model/projection/places.ts';
import type { ItemKey } from '../store/port.ts';

/**
 * The count that holds an edge's index item with this sort key, by its place alone: the one item for each edge that a kept count
 * counts. Undefined for the items of named orders, for those of a generation without a count, and for items of nodes.
 *
 * @param base the key of the edge.
 */
export function countHolding(graph: CompiledModel, base: ItemKey, sortKey: string): CountPlaces | undefined {
  const edgeType = base.source === base.target ? undefined : typePrefix(base.target);
  if (edgeType === undefined) return undefined;
  for (const { edges } of layersOf(graph)) {
    const count = edges.get(edgeType)?.count?.places;
    if (count?.items.key(base.target) === sortKey) return count;
  }
  return undefined;
}

/** Whether the model keeps the count with this sort key. */
export function isKeptCount(graph: CompiledModel, countKey: string): boolean {
  const { edgeType } = placesOfCount(countKey);
  return layersOf(graph).some(({ edges }) => edges.get(edgeType)?.count?.places.key === countKey);
}
