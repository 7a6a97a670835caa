import type { Item } from '../items/attribute-value.ts';
import { isWithinBytes, SORT_KEY_BYTES } from '../items/keys.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { FanOutPlaces } from '../model/projection/places.ts';
import { copyingViewsOf, edgeOfReverse, expectedFields } from '../plan/copies.ts';
import { edgeOfEntry } from '../plan/counted.ts';
import { derivedOf } from '../plan/derive.ts';
import type { ItemKey } from '../store-port.ts';
import { oddities } from './form.ts';
import { INDEXED, indexItemText } from './index-item.ts';
import { type ItemKind, origin } from './kind.ts';
import type { Part, PartKind } from './part.ts';

/** The item by which a node finds an edge that copies from it. It is in the node's partition; the edge is in another one. */
export const reverseItem: ItemKind<'reverse-item'> = {
  name: 'reverse-item',
  lifetime: { of: 'need', neededBy: copyingViewsOf },
  decidedBy: 'edge-elsewhere',
  hasBase: true,
  attributes: INDEXED.attributes,
  hasTombstones: true,
  isKept: ({ edges }, { edgeType }, sortKey) =>
    edges.get(edgeType)?.copy !== undefined && sortKey.startsWith(new FanOutPlaces(edgeType).reversePrefix),
  isLive: INDEXED.isLive,
  oddities: (context, item) => oddities(reverseItem, context, item),
  originsOf: (_graph, { source }, { edgeType }) => [
    origin({ source, target: source }, `edges.${edgeType}.copy`, 'The node whose attributes are copied.'),
  ],
};

/** The fields of a reverse item, or of an entry in a total. Its edge decides about them. */
export const reverseItemPart: PartKind<Extract<Part, { kind: 'reverse-item' }>> = {
  isContent: true,
  decidingKeys({ graph }, { source, sortKey, part }, derived) {
    const edge = part.base ?? edgeNamedInTarget(graph, { source, target: sortKey }, derived);
    return edge === undefined ? [] : [edge];
  },
  compare({ graph }, { suspect: { sortKey }, derived, keys, items }) {
    const expected = keys[0] && expectedFields(derivedOf(graph, keys[0].source, keys[0].target, items[0]), sortKey);
    return { wanted: indexItemText(expected) ?? null, stored: indexItemText(derived) ?? null };
  },
};

/** The edge that a suspect part of a reverse item names; undefined for any other part, and if the edge is not known. */
export function edgeOfPart(part: Part): ItemKey | undefined {
  return part.kind === 'reverse-item' ? part.base : undefined;
}

/**
 * Returns the key of the edge that a reverse item, or an entry in a total, names. That item is in the partition of the edge's target;
 * the edge is in the partition of its source. Undefined if no such edge can exist.
 */
export function edgeNamedInTarget(graph: CompiledModel, key: ItemKey, item: Item | undefined): ItemKey | undefined {
  return edgeOfEntry(graph, key, item) ?? edgeNamedByReverse(key, item);
}

/** The edge that a reverse item names, if such an edge can exist. */
export function edgeNamedByReverse(key: ItemKey, item: Item | undefined): ItemKey | undefined {
  const edge = edgeOfReverse(key, item);
  const isPossible = edge !== undefined && edge.source !== '' && isWithinBytes(edge.target, SORT_KEY_BYTES);
  return isPossible ? edge : undefined;
}
