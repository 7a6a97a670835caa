import { type Item, stringOf } from '../../../core/items/attribute-value.ts';
import { TARGET_SORT_KEY } from '../../../core/items/encoding.ts';
import { sortKeyOfEdge } from '../../../core/model/base-item.ts';
import type { EdgeModel, IndexName } from '../../../core/model/compiled.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import type { ReadContext } from '../request/context.ts';

/** The node that edges enter, where it is in their index partition behind them. */

/** Where a node lies among the edges that enter it. */
interface TargetItemPlace {
  edge: EdgeModel;
  /** The sort key of every base edge that enters it. */
  edgeKey: string;
  /** The sort key of its own index item. */
  targetItemKey: string;
  index: IndexName;
  partitions: readonly string[];
}

/** Reads the node behind the edges alone. */
export async function readTargetItem(context: ReadContext, query: TargetItemPlace): Promise<Item | undefined> {
  const { index, partitions } = query;
  // One partition, since includeTarget needs shards: 1; none where its key is longer than an index takes.
  const [partition] = partitions;
  if (partition === undefined) return undefined;
  const sortKey = { from: TARGET_SORT_KEY, to: TARGET_SORT_KEY };
  const { items } = await context.store.query({ index, partition, sortKey });
  return items.find((item) => isTargetItem(context, query, item));
}

/** Tells the target item of a node: no other partition holds a target item of this node. */
export function isTargetItem(
  { graph }: ReadContext,
  { edge, edgeKey, targetItemKey }: Omit<TargetItemPlace, 'index' | 'partitions'>,
  item: Item,
): boolean {
  const source = stringOf(item[graph.table.partitionKey]) ?? '';
  return stringOf(item[graph.table.sortKey]) === targetItemKey && sortKeyOfEdge(edge, source) === edgeKey;
}

/** Throws `no-target` if the model does not put a target node into the index partition of its incoming edges (`includeTarget`). */
export function requireTargetItem({ type, inbound }: EdgeModel): void {
  if (inbound?.includeTarget === true) return;
  throw new EdgeloomError(
    'no-target',
    `Edges of type ${type} do not have the node that they enter in their index.`,
    `Give edges.${type}.inbound the option includeTarget in the model, or read the node with getView.`,
  );
}
