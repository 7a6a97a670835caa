import type { DerivedSortKey } from '../items/keys.ts';
import { classifyKey } from '../model/base-item.ts';
import { type CompiledModel, derivedSearches, layersOf, listsOf, type NodeModel } from '../model/compiled.ts';
import { packsOf } from '../model/projection/search-pack.ts';
import type { ItemKey } from '../store-port.ts';

export interface IndexItemKey {
  key: DerivedSortKey;
  /** True if each value has an item: `key` is then the prefix of their sort keys. */
  isPrefix: boolean;
}

/** Includes every generation of the model. */
export function indexItemKeysOf(graph: CompiledModel, { source, target }: ItemKey): IndexItemKey[] {
  const keys = new Map<string, IndexItemKey>();
  // A count and an order may share an item.
  const add = (key: DerivedSortKey, isPrefix = false): unknown => keys.set(key, { key, isPrefix });
  const addSearches = ({ searches }: NodeModel, of: string | undefined): void => {
    for (const shared of packsOf(derivedSearches(searches))) {
      const { part, multiValue, inForce } = shared[0]!;
      if (part === of) add(inForce.places.first, multiValue);
    }
  };
  for (const layer of layersOf(graph)) {
    const kind = classifyKey(layer, source, target);
    if (kind.kind === 'edge' || kind.kind === 'hashed') {
      const { count } = kind.edge;
      const items = listsOf(kind.edge).flatMap((list) => list.items);
      for (const { inForce } of items) add(inForce.places.key(target));
      if (count !== undefined) add(count.places.items.key(target));
    } else if (kind.kind === 'node') {
      addSearches(kind.node, undefined);
      for (const { inbound } of kind.node.includedBy) {
        for (const { inForce } of inbound?.items ?? []) add(inForce.places.targetItemKey);
      }
    } else if (kind.kind === 'part') {
      if (kind.part.view !== undefined) add(kind.part.view.inForce.places.key);
      addSearches(kind.node, kind.part.name);
    }
  }
  return [...keys.values()];
}
