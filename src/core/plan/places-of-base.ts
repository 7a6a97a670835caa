import type { DerivedSortKey } from '../items/keys.ts';
import { classifyKey } from '../model/base-item.ts';
import {
  type CompiledModel,
  derivedSearches,
  type InboundOrder,
  layersOf,
  listsOf,
  type NodeModel,
  type SearchModel,
} from '../model/compiled.ts';
import { packsOf } from '../model/projection/search-pack.ts';
import type { ItemKey } from '../store-port.ts';

/** An index item that a base item may have in its partition, whether or not it asks for it now. */
export interface PlaceOfBase {
  key: DerivedSortKey;
  /** True for an item per value: their sort keys begin with `key`. */
  isPrefix?: boolean;
  searches?: readonly SearchModel[];
  /** None for an item that is only counted. */
  orders?: readonly InboundOrder[];
}

/** In every generation of the model's projections. */
export function placesOfBase(graph: CompiledModel, { source, target }: ItemKey): PlaceOfBase[] {
  const places = new Map<string, PlaceOfBase>();
  const add = (place: PlaceOfBase): void => {
    // The item that a count needs may also be an order's.
    if (!places.has(place.key)) places.set(place.key, place);
  };
  const addSearches = ({ searches }: NodeModel, of: string | undefined): void => {
    for (const shared of packsOf(derivedSearches(searches))) {
      const { part, multiValue, inForce } = shared[0]!;
      if (part === of) add({ key: inForce.places.first, isPrefix: multiValue, searches: shared });
    }
  };
  for (const layer of layersOf(graph)) {
    const kind = classifyKey(layer, source, target);
    if (kind.kind === 'edge' || kind.kind === 'hashed') {
      const { count } = kind.edge;
      const items = listsOf(kind.edge).flatMap((list) => list.items);
      for (const { orders, inForce } of items) add({ key: inForce.places.key(target), orders });
      if (count !== undefined) add({ key: count.places.items.key(target), orders: [] });
    } else if (kind.kind === 'node') {
      addSearches(kind.node, undefined);
      for (const { inbound } of kind.node.includedBy) {
        for (const { inForce } of inbound?.items ?? []) add({ key: inForce.places.targetItemKey });
      }
    } else if (kind.kind === 'part') {
      if (kind.part.view !== undefined) add({ key: kind.part.view.inForce.places.key });
      addSearches(kind.node, kind.part.name);
    }
  }
  return [...places.values()];
}
