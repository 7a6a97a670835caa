import { stringOf } from '../items/attribute-value.ts';
import { SERVICE_PARTITION } from '../items/keys.ts';
import type { CompiledModel } from '../model/compiled.ts';
import type { ReadStats } from '../store/pages.ts';
import type { ScanSource } from '../store/port.ts';

/** What lies beside the items of a table: the registry, and what consumers and checks leave. A page passes most of it. */
const PAGE_ITEMS = 25;

/**
 * Whether a table holds no base item and no derived one, tombstones and quarantine entries included: no record of it was ever
 * projected. A page is enough where it holds anything; of an empty table the service's own partition is read.
 */
export async function isEmptyTable(graph: CompiledModel, store: ScanSource, stats: ReadStats): Promise<boolean> {
  for (let startKey: Parameters<ScanSource['scan']>[0]['startKey']; ; ) {
    const page = await store.scan({
      ...{ segment: 0, segments: 1, limit: PAGE_ITEMS, consistent: true },
      ...(startKey && { startKey }),
    });
    stats.rcu += page.rcu;
    if (page.items.some((item) => stringOf(item[graph.table.partitionKey]) !== SERVICE_PARTITION)) return false;
    if (page.lastKey === undefined) return true;
    startKey = page.lastKey;
  }
}
