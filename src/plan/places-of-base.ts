import type { DerivedSortKey } from '../items/keys.ts';
import { classifyKey } from '../model/base-item.ts';
import { type CompiledModel, layersOf } from '../model/compiled.ts';
import type { ItemKey } from '../store/port.ts';

/** The places of the index items that a base item may have in its partition, whether it wants them at the moment or not. */
export interface PlacesOfBase {
  keys: ReadonlySet<DerivedSortKey>;
  /** The beginnings of the sort keys of items of which there is one for each value. */
  prefixes: readonly string[];
}

/** Returns the places of a base item's index items, in every generation of a projection that the model has. */
export function placesOfBase(graph: CompiledModel, { source, target }: ItemKey): PlacesOfBase {
  const keys = new Set<DerivedSortKey>();
  const prefixes: string[] = [];
  for (const layer of layersOf(graph)) {
    const kind = classifyKey(layer, source, target);
    if (kind.kind === 'edge' || kind.kind === 'hashed') {
      const { count, inbound } = kind.edge;
      if (count !== undefined) keys.add(count.places.items.key(target));
      for (const { inForce } of inbound?.items ?? []) keys.add(inForce.places.key(target));
    } else if (kind.kind === 'node') {
      for (const { each, inForce } of kind.node.searches.values()) {
        if (each) prefixes.push(inForce.places.first);
        else keys.add(inForce.places.key(''));
      }
      for (const { inbound } of kind.node.ownerOf) {
        for (const { inForce } of inbound?.items ?? []) keys.add(inForce.places.ownerKey);
      }
    }
  }
  return { keys, prefixes };
}
