import { canonicalText } from '../../../src/core/items/attribute-value.ts';
import type { IndexPartitionKey } from '../../../src/core/items/keys.ts';
import type { EdgeModel, InboundItem, InboundModel, OrderPart, Projection } from '../../../src/core/model/compiled.ts';
import { addIndexKeys, partitionText } from './index-items.ts';
import { encodeOrder } from './order.ts';
import { type Problem, part, type Subject } from './subject.ts';

/** What one of two base items gives to a joined index item, in the plainest way: as one text. */

/** Whether an index item needs the edge's source node. */
export function usesSource({ projectSource, partition }: InboundModel, item: InboundItem): boolean {
  const parts = item.orders.flatMap(({ order }): readonly OrderPart[] =>
    order.kind === 'parts' ? order.parts : [order],
  );
  return projectSource !== undefined || partition?.of === 'source' || parts.some(({ kind }) => kind === 'source');
}

/** What an image gives; its mistakes are noted. */
export function givenBy(
  side: 'edge' | 'source',
  { type, inbound }: Pick<EdgeModel, 'type' | 'inbound'>,
  item: InboundItem,
  subject: Subject,
  problems: Problem[],
): string {
  const { partition, project, projectSource = [] } = inbound!;
  const given: unknown[] = [];
  for (const { name, order, places } of item.orders) {
    const purpose = `order ${name} of ${type}`;
    for (const one of order.kind === 'parts' ? order.parts : [order]) {
      if ((one.kind === 'source') !== (side === 'source')) continue;
      const own = one.kind === 'source' ? one.order : one;
      const result = part(problems, () => {
        const encoded = encodeOrder(own, subject, false, purpose);
        if (encoded !== undefined)
          addIndexKeys({}, 'gsi0', { partition: '' as IndexPartitionKey, places }, encoded, subject.source, purpose);
        return { text: encoded?.text };
      });
      given.push(result ?? 'failed');
    }
  }
  if (partition?.of === side) {
    given.push(
      part(problems, () => ({ text: partitionText(partition.attribute, subject, `inbound of ${type}`) })) ?? 'failed',
    );
  }
  const projection: Projection = side === 'edge' ? project : { kind: 'LIST', attributes: projectSource };
  return JSON.stringify([...given, canonicalText({ M: subject.project(projection, problems) })]);
}
