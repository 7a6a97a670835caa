import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import pMap from 'p-map';
import type { Item } from '../core/items/attribute-value.ts';
import { sleep } from '../foundation/runtime.ts';
import { Allowance } from './metered.ts';
import { scanPage } from './source-table.ts';

/** The items of a partition lie together, so many segments give a wider sample. */
const MOST_SEGMENTS = 64;
/** With fewer items per segment, the sample would cut off more partitions. */
const ITEMS_PER_SEGMENT = 300;
const CONCURRENCY = 8;
const PAGE_ITEMS = 250;

export interface ForeignReadOptions {
  most: number;
  /** Read units per second. */
  maxRcu?: number | undefined;
  /** Pages come in any order. */
  onItems: (items: readonly Item[]) => void;
  signal?: AbortSignal | undefined;
}

interface ScanPlace {
  segment: number;
  startKey?: Item | undefined;
}

/**
 * Reads at most `most` items, from the beginnings of many segments. Which items are read depends only on the table and
 * `most`, not on page sizes or timing.
 */
export async function readForeignTable(
  client: DynamoDBClient,
  name: string,
  { most, maxRcu, onItems, signal }: ForeignReadOptions,
): Promise<{ rcu: number; isWhole: boolean }> {
  const allowance = new Allowance(maxRcu, () => performance.now());
  const total = Math.min(MOST_SEGMENTS, Math.ceil(most / ITEMS_PER_SEGMENT));
  let segments = Array.from({ length: total }, (_, segment): ScanPlace => ({ segment }));
  let [rcu, left] = [0, most];
  const read = async (place: ScanPlace, share: number): Promise<boolean> => {
    for (let missing = share; missing > 0; ) {
      signal?.throwIfAborted();
      const debtMs = allowance.debtMs();
      if (debtMs > 0) await sleep(debtMs, signal);
      const input = { Segment: place.segment, TotalSegments: total, Limit: Math.min(PAGE_ITEMS, missing) };
      const page = await scanPage(client, { TableName: name, ...input }, place.startKey);
      allowance.spend(page.rcu);
      rcu += page.rcu;
      left -= page.items.length;
      missing -= page.items.length;
      onItems(page.items);
      place.startKey = page.lastKey;
      if (place.startKey === undefined) return false;
    }
    return true;
  };
  // Segments with more items make up for segments that ended early.
  while (segments.length > 0 && left > 0) {
    const [share, more] = [Math.floor(left / segments.length), left % segments.length];
    const readShare = (place: ScanPlace, i: number): Promise<boolean> => read(place, share + (i < more ? 1 : 0));
    const areOpen = await pMap(segments, readShare, { concurrency: CONCURRENCY });
    segments = segments.filter((_, i) => areOpen[i]);
  }
  return { rcu, isWhole: segments.length === 0 };
}
