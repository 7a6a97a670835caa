import { type Item, stringOf } from '../../../core/items/attribute-value.ts';
import { TARGET_SORT_KEY } from '../../../core/items/encoding.ts';
import { sortKeyOfEdge } from '../../../core/model/base-item.ts';
import type { EdgeModel } from '../../../core/model/compiled.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import type { ReadContext } from '../request/read-context.ts';
import type { PlacedList } from './placed-list.ts';

interface TargetItemPlace {
  edge: EdgeModel;
  edgeKey: string;
  targetItemKey: string;
}

export async function readTargetItem(
  context: ReadContext,
  query: TargetItemPlace,
  { index, partitions }: Pick<PlacedList, 'index' | 'partitions'>,
): Promise<Item | undefined> {
  // `includeTarget` requires `shards: 1`, so there is one partition, or none if its key is too long for an index.
  const [partition] = partitions;
  if (partition === undefined) return undefined;
  const sortKey = { from: TARGET_SORT_KEY, to: TARGET_SORT_KEY };
  const { items } = await context.store.query({ index, partition, sortKey });
  return items.find((item) => isTargetItem(context, query, item));
}

export function isTargetItem(
  { graph }: ReadContext,
  { edge, edgeKey, targetItemKey }: TargetItemPlace,
  item: Item,
): boolean {
  const source = stringOf(item[graph.table.partitionKey]) ?? '';
  return stringOf(item[graph.table.sortKey]) === targetItemKey && sortKeyOfEdge(edge, source) === edgeKey;
}

export function requireTargetItem({ type, inbound }: EdgeModel): void {
  if (inbound?.includeTarget === true) return;
  throw new EdgeloomError(
    'not-declared',
    `Edges of type ${type} do not have the node that they enter in their index.`,
    `Give edges.${type}.inbound the option includeTarget in the model and migrate, or read the node with getView.`,
  );
}
