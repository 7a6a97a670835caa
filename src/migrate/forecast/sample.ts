import { itemSizeBytes } from '../../core/items/attribute-value.ts';
import { SERVICE_PARTITION } from '../../core/items/keys.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { ScanSource } from '../../core/store-port.ts';
import { walkedItem } from '../../store/table-walk.ts';
import type { TableSample } from '../steps/estimates.ts';

/** Number of segments that the sample is taken from. Several are needed, because a partition's items lie together. */
const SAMPLE_PARTS = 4;
const PART_ITEMS = 150;

/**
 * Reads some items of each segment of a table.
 *
 * @param itemCount number of the table's items, from DynamoDB, which counts about every six hours.
 */
export async function sampleTable(graph: CompiledModel, store: ScanSource, itemCount: number): Promise<TableSample> {
  const pages = await Promise.all(
    Array.from({ length: SAMPLE_PARTS }, (_, segment) =>
      store.scan({ segment, segments: SAMPLE_PARTS, limit: PART_ITEMS }),
    ),
  );
  const items = pages
    .flatMap((page) => page.items)
    .map((item) => walkedItem(graph, item))
    .filter(({ source }) => source !== SERVICE_PARTITION);
  const isWhole = pages.every(({ lastKey }) => lastKey === undefined);
  const count = isWhole ? items.length : Math.max(items.length, itemCount);
  const sampled = items.reduce((sum, { item }) => sum + itemSizeBytes(item), 0);
  return {
    items,
    itemCount: count,
    isWhole,
    bytes: items.length === 0 ? 0 : (sampled / items.length) * count,
    rcu: pages.reduce((sum, { rcu }) => sum + rcu, 0),
  };
}
