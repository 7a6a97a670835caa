import type { Item } from '../items/attribute-value.ts';
import { INDEX_KEYS } from '../items/derived-item.ts';
import { TARGET_SORT_KEY } from '../items/encoding.ts';
import type { DerivedSortKey } from '../items/keys.ts';
import { sortKeyOfEdge } from '../model/base-item.ts';
import type { InboundOrder, NodeModel } from '../model/compiled.ts';
import { ENDS } from '../model/ends.ts';
import type { IndexPlace } from '../model/projection/index-places.ts';
import { projectionsOfIndexPartitions, WITH_BASE } from './index-item.ts';
import { type ItemKind, type KeyOf, origin } from './kind.ts';
import { withAttributes } from './parts/inbound-items.ts';
import type { Subject } from './parts/subject.ts';

/** Lists a node among its own incoming edges (`includeTarget`). */
export const targetItem: ItemKind<'target-item'> = {
  ...WITH_BASE,
  name: 'target-item',
  lifetime: { of: 'generation', projectionOf },
  originsOf: (_graph, { source }) => [
    origin({ source, target: source }, 'edges.….inbound.includeTarget', 'The node, among its incoming edges.'),
  ],
};

/** If the sort key is hashed, only the item's index keys name the projection. */
function projectionOf(_source: string, key: KeyOf<'target-item'>, item: Item): IndexPlace | undefined {
  const { edgeType, order, generation } = key;
  if (key.name.hash === undefined) return { of: 'edge', edgeType, order, generation };
  const [place] = projectionsOfIndexPartitions(item);
  return place?.of === 'edge' ? { ...place, generation } : undefined;
}

/**
 * Returns the items that put a node into the index partitions of its incoming edges. The node sorts after every edge,
 * so one backward Query returns it and its last edges. The items have the view's attributes, so readers don't need the
 * view.
 *
 * @param attributes the node's attributes in its view.
 */
export function targetItems(node: NodeModel, subject: Subject, attributes: Item) {
  const items: { key: DerivedSortKey; item: Item }[] = [];
  for (const edge of node.includedBy) {
    for (const { orders, inForce } of edge.inbound?.items ?? []) {
      const item = targetItemKeys(orders, sortKeyOfEdge(edge, subject.source));
      if (Object.keys(item).length === 0) continue;
      try {
        const whole =
          node.view.kind === 'KEYS_ONLY' && attributes[ENDS] === undefined
            ? item
            : withAttributes(item, attributes, subject);
        items.push({ key: inForce.places.targetItemKey, item: whole });
      } catch (error) {
        subject.noteProblem(error, inForce);
      }
    }
  }
  return items;
}

function targetItemKeys(orders: readonly InboundOrder[], edgeKey: string): Item {
  const item: Item = {};
  for (const order of orders) {
    // `includeTarget` requires a single shard, so neither value nor source matters.
    const partition = order.places.partition(edgeKey, '', '');
    // No edge can be in a partition whose key is too long.
    if (!order.places.fits(partition)) continue;
    const names = INDEX_KEYS[order.index];
    item[names.partition] = { S: partition };
    item[names.sort] = { S: TARGET_SORT_KEY };
  }
  return item;
}
