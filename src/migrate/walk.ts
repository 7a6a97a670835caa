import pMap from 'p-map';
import { type Item, stringOf } from '../items/attribute-value.ts';
import type { CompiledModel } from '../model/compiled.ts';
import type { ScanSource } from '../store/port.ts';

/** An item of the table with its key. */
export interface WalkedItem {
  source: string;
  target: string;
  item: Item;
}

/** How a table is walked. */
export interface WalkOptions {
  graph: CompiledModel;
  store: ScanSource;
  stats: { rcu: number };
  /** Parts that are read at once. */
  segments: number;
  onProgress?: (items: number) => void;
}

/**
 * Reads every item by consistent scans, a page at a time, several parts at once. An eventually consistent one might miss an
 * item that was written before the walk began and whose record came before its generation was kept.
 */
export async function walk(
  options: WalkOptions,
  visit: (items: readonly WalkedItem[]) => Promise<void>,
): Promise<void> {
  const { graph, store, stats, segments, onProgress } = options;
  const { partitionKey, sortKey } = graph.table;
  let seen = 0;
  await pMap(
    Array.from({ length: segments }, (_, segment) => segment),
    async (segment) => {
      let startKey: Item | undefined;
      do {
        const page = await store.scan({ segment, segments, startKey, consistent: true });
        stats.rcu += page.rcu;
        await visit(
          page.items.map((item) => {
            return { source: stringOf(item[partitionKey]) ?? '', target: stringOf(item[sortKey]) ?? '', item };
          }),
        );
        seen += page.items.length;
        onProgress?.(seen);
        startKey = page.lastKey;
      } while (startKey !== undefined);
    },
    { concurrency: segments },
  );
}
