import type { Item } from '../items/attribute-value.ts';
import type { IndexPlace } from '../model/projection/index-partition.ts';
import { INDEXED, projectionsOfIndexPartitions } from './index-item.ts';
import { type ItemKind, type KeyOf, origin } from './kind.ts';

/** The item of a node among its incoming edges. It is compared and repaired as any other index item. */
export const ownerItem: ItemKind<'owner-item'> = {
  ...INDEXED,
  name: 'owner-item',
  lifetime: { of: 'generation', projectionOf },
  originsOf: (_graph, { source }) => [
    origin({ source, target: source }, 'edges.….inbound.includeOwner', 'The node, among its incoming edges.'),
  ],
};

/** Returns the projection of an owner item, from its key, or from its index keys if the key is hashed. Undefined if neither tells. */
function projectionOf(_source: string, key: KeyOf<'owner-item'>, item: Item): IndexPlace | undefined {
  const { edgeType, order, generation } = key;
  if (key.name.hash === undefined) return { of: 'edge', edgeType, order, generation };
  const [place] = projectionsOfIndexPartitions(item);
  return place?.of === 'edge' ? { ...place, generation } : undefined;
}
