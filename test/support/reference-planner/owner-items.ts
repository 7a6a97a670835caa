import type { Item } from '../../../src/core/items/attribute-value.ts';
import { INDEX_KEYS } from '../../../src/core/items/derived-item.ts';
import { OWNER_SORT_KEY } from '../../../src/core/items/encoding.ts';
import { sortKeyOfEdge } from '../../../src/core/model/base-item.ts';
import type { InboundOrder, NodeModel } from '../../../src/core/model/compiled.ts';
import { withAttributes } from './index-items.ts';
import { type Problem, part, type Subject } from './subject.ts';

/** An owner item with its sort key, and if its generation is young the moment that `Derived` names. */
export interface OwnerItem {
  key: string;
  item: Item;
  settleBefore?: number;
}

/**
 * Owner items: what a node wants in the index partitions of its own incoming edges, where an edge type has `includeOwner`.
 * The node sorts behind every edge, so that one Query backwards gives it and the last of its edges. They hold what the view
 * shows of the node, so that a reader need not ask for the view as well.
 *
 * @param attributes what the view shows of the node.
 */
export function ownerItems(node: NodeModel, subject: Subject, attributes: Item, problems: Problem[]): OwnerItem[] {
  const items: OwnerItem[] = [];
  for (const edge of node.ownerOf) {
    for (const { orders, inForce } of edge.inbound?.items ?? []) {
      const { places, settleBefore } = inForce;
      const item = ownerKeys(orders, sortKeyOfEdge(edge, subject.source));
      if (Object.keys(item).length === 0) continue;
      const whole =
        node.view.kind === 'KEYS_ONLY' ? item : part(problems, () => withAttributes(item, attributes, subject));
      if (whole === undefined) continue;
      items.push({ key: places.ownerKey, item: whole, settleBefore });
    }
  }
  return items;
}

function ownerKeys(orders: readonly InboundOrder[], edgeKey: string): Item {
  const item: Item = {};
  for (const order of orders) {
    // There is one shard, so neither value nor source matters.
    const partition = order.places.partition(edgeKey, '', '');
    // No edge can be in a partition with such a key, so there is nothing to own.
    if (!order.places.fits(partition)) continue;
    const names = INDEX_KEYS[order.index];
    item[names.partition] = { S: partition };
    item[names.sort] = { S: OWNER_SORT_KEY };
  }
  return item;
}
