import type { Item } from '../items/attribute-value.ts';
import { isWithinBytes, SORT_KEY_BYTES } from '../items/keys.ts';
import { FanOutPlaces } from '../model/projection/places.ts';
import type { ItemKey } from '../store-port.ts';
import { copyingViewsOf, edgeOfReverse } from './copies.ts';
import { oddities } from './form.ts';
import { INDEXED } from './index-item.ts';
import { type KindOfTarget, origin } from './kind.ts';

/** The item by which a node finds an edge that copies from it. It is in the node's partition; the edge is in another one. */
export const reverseItem: KindOfTarget<'reverse-item'> = {
  name: 'reverse-item',
  askedBy: 'copy (reverse item)',
  edgeOf: (_graph, key, item) => edgeNamedByReverse(key, item),
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

/** The edge that a reverse item names, if such an edge can exist. */
export function edgeNamedByReverse(key: ItemKey, item: Item | undefined): ItemKey | undefined {
  const edge = edgeOfReverse(key, item);
  const isPossible = edge !== undefined && edge.source !== '' && isWithinBytes(edge.target, SORT_KEY_BYTES);
  return isPossible ? edge : undefined;
}
