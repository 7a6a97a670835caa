import { type Item, stringOf } from '../../core/items/attribute-value.ts';
import { isServicePartition } from '../../core/items/keys.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { ReadStats } from '../../core/store-pages.ts';
import type { ScanSource } from '../../core/store-port.ts';

const PAGE_ITEMS = 25;

/**
 * Tells whether the table has no base items and no derived items. Tombstones count: they stay for a while, so without
 * any, no record was projected lately.
 */
export async function isEmptyTable(graph: CompiledModel, store: ScanSource, stats: ReadStats): Promise<boolean> {
  for (let startKey: Item | undefined; ; ) {
    const page = await store.scan({ segment: 0, segments: 1, limit: PAGE_ITEMS, consistent: true, startKey });
    stats.rcu += page.rcu;
    if (page.items.some((item) => !isServicePartition(stringOf(item[graph.table.partitionKey]) ?? ''))) return false;
    if (page.lastKey === undefined) return true;
    startKey = page.lastKey;
  }
}
