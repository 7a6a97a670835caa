import type { DerivedSortKey } from '../items/keys.ts';
import { classifyKey } from '../model/base-item.ts';
import {
  type CompiledModel,
  derivedSearches,
  type EdgeModel,
  layersOf,
  listsOf,
  type NodeModel,
} from '../model/compiled.ts';
import { packsOf } from '../model/projection/search-pack.ts';
import type { ItemKey } from '../store-port.ts';

export interface IndexItemKey {
  key: DerivedSortKey;
  /** True if each value has an item: `key` is then the prefix of their sort keys. */
  isPrefix: boolean;
}

export function indexItemKeysOf(graph: CompiledModel, base: ItemKey): IndexItemKey[] {
  const keys = layersOf(graph).flatMap((layer) => keysIn(layer, base));
  // A count and an order may share an item.
  return [...new Map(keys.map((one) => [one.key, one])).values()];
}

function keysIn(layer: CompiledModel, { source, target }: ItemKey): IndexItemKey[] {
  const kind = classifyKey(layer, source, target);
  switch (kind.kind) {
    case 'edge':
    case 'hashed':
      return keysOfEdge(kind.edge, target).map(singleItem);
    case 'node':
      return [...keysOfSearches(kind.node, undefined), ...keysOfIncluded(kind.node).map(singleItem)];
    case 'part': {
      const { view, name } = kind.part;
      return [...(view === undefined ? [] : [singleItem(view.inForce.places.key)]), ...keysOfSearches(kind.node, name)];
    }
    default:
      return [];
  }
}

function keysOfEdge(edge: EdgeModel, sortKey: string): DerivedSortKey[] {
  const ofOrders = listsOf(edge).flatMap(({ items }) => items.map(({ inForce }) => inForce.places.key(sortKey)));
  return edge.count === undefined ? ofOrders : [...ofOrders, edge.count.places.items.key(sortKey)];
}

function keysOfIncluded({ includedBy }: NodeModel): DerivedSortKey[] {
  return includedBy.flatMap(({ inbound }) => inbound?.items.map(({ inForce }) => inForce.places.targetItemKey) ?? []);
}

function keysOfSearches({ searches }: NodeModel, part: string | undefined): IndexItemKey[] {
  const firsts = packsOf(derivedSearches(searches)).map(([first]) => first!);
  return firsts
    .filter((search) => search.part === part)
    .map(({ inForce, multiValue }) => ({ key: inForce.places.first, isPrefix: multiValue }));
}

function singleItem(key: DerivedSortKey): IndexItemKey {
  return { key, isPrefix: false };
}
