import type { Item } from '../../../src/core/items/attribute-value.ts';
import { INDEX_KEYS } from '../../../src/core/items/derived-item.ts';
import { TARGET_SORT_KEY } from '../../../src/core/items/encoding.ts';
import { sortKeyOfEdge } from '../../../src/core/model/base-item.ts';
import type { InboundOrder, NodeModel } from '../../../src/core/model/compiled.ts';
import { withAttributes } from './index-items.ts';
import { type Problem, part, type Subject } from './subject.ts';

/**
 * Target items, with their sort keys: what a node asks for among its incoming edges, where an edge type has `includeTarget`. The node sorts
 * behind every edge.
 *
 * @param attributes what the view shows of the node.
 */
export function targetItems(
  node: NodeModel,
  subject: Subject,
  attributes: Item,
  problems: Problem[],
): [key: string, item: Item][] {
  const items: [string, Item][] = [];
  for (const edge of node.includedBy) {
    for (const { orders, inForce } of edge.inbound?.items ?? []) {
      const item = targetItemKeys(orders, sortKeyOfEdge(edge, subject.source));
      if (Object.keys(item).length === 0) continue;
      const isBare = node.view.kind === 'KEYS_ONLY';
      const whole = isBare ? item : part(problems, () => withAttributes(item, attributes, node.type));
      if (whole !== undefined) items.push([inForce.places.targetItemKey, whole]);
    }
  }
  return items;
}

function targetItemKeys(orders: readonly InboundOrder[], edgeKey: string): Item {
  const item: Item = {};
  for (const { index, places } of orders) {
    // There is one shard, so neither value nor source matters.
    const partition = places.partition(edgeKey, '', '');
    // No edge can be in a partition with such a key, so there is nothing to own.
    if (!places.fits(partition)) continue;
    const names = INDEX_KEYS[index];
    item[names.partition] = { S: partition };
    item[names.sort] = { S: TARGET_SORT_KEY };
  }
  return item;
}
