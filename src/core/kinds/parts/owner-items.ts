import type { Item } from '../../items/attribute-value.ts';
import { INDEX_KEYS } from '../../items/derived-item.ts';
import { OWNER_SORT_KEY } from '../../items/encoding.ts';
import type { DerivedSortKey } from '../../items/keys.ts';
import { sortKeyOfEdge } from '../../model/base-item.ts';
import type { InboundOrder, NodeModel } from '../../model/compiled.ts';
import { withAttributes } from './index-items.ts';
import type { Subject } from './subject.ts';

/** An owner item with its sort key, and with the time in `Derived` if its generation is new. */
export interface OwnerItem {
  key: DerivedSortKey;
  item: Item;
  settleBefore?: number;
}

/**
 * Owner items: the items that a node asks for in the index partitions of its own incoming edges, for edge types with
 * `includeOwner`. The node sorts after every edge, so that one backward Query returns it and the last of its edges. They contain
 * the node's attributes of the view, so that a reader does not need the view as well.
 *
 * @param attributes the node's attributes in its view.
 */
export function ownerItems(node: NodeModel, subject: Subject, attributes: Item): OwnerItem[] {
  const items: OwnerItem[] = [];
  for (const edge of node.ownerOf) {
    for (const { orders, inForce } of edge.inbound?.items ?? []) {
      const { places, settleBefore, isSuperseded } = inForce;
      const item = ownerKeys(orders, sortKeyOfEdge(edge, subject.source));
      if (Object.keys(item).length === 0) continue;
      try {
        const whole = node.view.kind === 'KEYS_ONLY' ? item : withAttributes(item, attributes, subject);
        items.push({ key: places.ownerKey, item: whole, settleBefore });
      } catch (error) {
        subject.noteProblem(error, isSuperseded);
      }
    }
  }
  return items;
}

function ownerKeys(orders: readonly InboundOrder[], edgeKey: string): Item {
  const item: Item = {};
  for (const order of orders) {
    // There is one shard only, so neither value nor source matters.
    const partition = order.places.partition(edgeKey, '', '');
    // No edge can be in a partition with such a key, so no owner item is needed.
    if (!order.places.fits(partition)) continue;
    const names = INDEX_KEYS[order.index];
    item[names.partition] = { S: partition };
    item[names.sort] = { S: OWNER_SORT_KEY };
  }
  return item;
}
