import { type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import pMap from 'p-map';
import type { Item } from '../core/items/attribute-value.ts';
import { sleep } from '../foundation/runtime.ts';
import { classifyError } from './classify.ts';
import { Allowance } from './metered.ts';

/** Many segments give a wider sample, because the items of a partition lie together. */
const MOST_SEGMENTS = 64;
/** With fewer items per segment, the sample would cut off more partitions. */
const ITEMS_PER_SEGMENT = 300;
const CONCURRENCY = 8;
const PAGE_ITEMS = 250;

export interface ForeignReadOptions {
  /** Maximum number of items to read. */
  most: number;
  /** Read units per second. Default: unlimited. */
  maxRcu?: number | undefined;
  /** Called with each page, in any order. */
  onItems: (items: readonly Item[]) => void;
  signal?: AbortSignal | undefined;
}

/**
 * Reads a whole table, or items from the beginnings of many segments. Which items are read depends only on the table
 * and `most`, not on page sizes or timing.
 */
export async function readForeignTable(
  client: DynamoDBClient,
  name: string,
  { most, maxRcu, onItems, signal }: ForeignReadOptions,
): Promise<{ rcu: number; isWhole: boolean }> {
  const allowance = new Allowance(maxRcu, () => performance.now());
  const total = Math.min(MOST_SEGMENTS, Math.ceil(most / ITEMS_PER_SEGMENT));
  let segments = [...Array(total).keys()].map((segment) => ({ segment, startKey: undefined as Item | undefined }));
  let [rcu, left] = [0, most];
  const read = async (place: (typeof segments)[number], share: number): Promise<boolean> => {
    for (let missing = share; missing > 0; ) {
      signal?.throwIfAborted();
      const debtMs = allowance.debtMs();
      if (debtMs > 0) await sleep(debtMs, signal);
      const { Items, LastEvaluatedKey, ConsumedCapacity } = await client.send(
        new ScanCommand({
          TableName: name,
          Segment: place.segment,
          TotalSegments: total,
          Limit: Math.min(PAGE_ITEMS, missing),
          ExclusiveStartKey: place.startKey,
          ReturnConsumedCapacity: 'TOTAL',
        }),
      );
      const items = (Items ?? []) as Item[];
      const units = ConsumedCapacity?.CapacityUnits ?? 0;
      allowance.spend(units);
      rcu += units;
      left -= items.length;
      missing -= items.length;
      onItems(items);
      place.startKey = LastEvaluatedKey as Item | undefined;
      if (place.startKey === undefined) return false;
    }
    return true;
  };
  try {
    // Segments with more items make up for those that ended early.
    while (segments.length > 0 && left > 0) {
      const [share, more] = [Math.floor(left / segments.length), left % segments.length];
      const goOn = await pMap(segments, (place, i) => read(place, share + (i < more ? 1 : 0)), {
        concurrency: CONCURRENCY,
      });
      segments = segments.filter((_, i) => goOn[i]);
    }
  } catch (error) {
    throw signal?.aborted ? error : classifyError(error);
  }
  return { rcu, isWhole: segments.length === 0 };
}
