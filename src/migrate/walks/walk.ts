import pMap from 'p-map';
import { type Item, stringOf } from '../../items/attribute-value.ts';
import { INDEX_KEYS } from '../../items/derived-item.ts';
import type { CompiledModel, IndexName } from '../../model/compiled.ts';
import type { ScanSource } from '../../store/port.ts';
import type { WalkPlace } from './place.ts';

/** An item of the table with its key. */
export interface WalkedItem {
  source: string;
  target: string;
  item: Item;
}

/** Adds its key to an item of a scan. */
export function walkedItem({ table }: CompiledModel, item: Item): WalkedItem {
  return { source: stringOf(item[table.partitionKey]) ?? '', target: stringOf(item[table.sortKey]) ?? '', item };
}

/** The options of a walk. */
export interface WalkOptions {
  graph: CompiledModel;
  store: ScanSource;
  stats: { rcu: number };
  /** Walks over an index, which shows the table as it was some time ago. Default: over the table. */
  index?: IndexName;
  /** Segments that are read at once. */
  segments: number;
  onProgress?: (items: number) => void;
  /** Called with each page, before it is visited. */
  onPage?: (items: readonly WalkedItem[]) => void;
  /** Whether time is over; called before each page. */
  isOver: () => boolean;
  /**
   * Whether an item of a page still exists after the visit. Default: each does. A walk continues after an item that exists: the
   * embedded engine finds nothing after a deleted item, while DynamoDB finds the next one.
   */
  stays?: (item: WalkedItem) => boolean;
  /** The place where a walk stopped, to continue from. */
  begunAt?: WalkPlace | undefined;
}

/** A page that has begun is finished even if time is over, and progress is reported after each page. Its size suits both. */
const PAGE_ITEMS = 500;

/**
 * Reads every item with consistent scans, a page at a time, several segments at once. An eventually consistent scan could miss an
 * item that was written before the walk began, and whose record came before its generation was maintained. A pause does no harm:
 * the projector maintains items that are written meanwhile. Returns the place where it stopped because time was over; undefined if
 * it is complete.
 *
 * @param visit returns whether it has finished the page. The walk stops at a page that the visit left because time was over.
 */
export async function walk(
  options: WalkOptions,
  visit: (items: readonly WalkedItem[]) => Promise<boolean>,
): Promise<WalkPlace | undefined> {
  const { graph, store, stats, index, onProgress, onPage, stays = () => true, isOver, begunAt } = options;
  const walked = (item: Item): WalkedItem => walkedItem(graph, item);
  const segments = begunAt?.segments ?? options.segments;
  const left = begunAt?.open ?? Array.from({ length: segments }, (_, segment) => ({ segment }));
  const open: WalkPlace['open'] = structuredClone(left);
  let seen = 0;
  const walkSegment = async (place: WalkPlace['open'][number]): Promise<void> => {
    while (!isOver()) {
      const { segment, after } = place;
      const startKey = after && startKeyOf(graph, index, after);
      const how = index === undefined ? { consistent: true } : { index };
      const page = await store.scan({ segment, segments, startKey, limit: PAGE_ITEMS, ...how });
      stats.rcu += page.rcu;
      const items = page.items.map(walked);
      onPage?.(items);
      if (!(await visit(items))) return;
      seen += page.items.length;
      onProgress?.(seen);
      if (page.lastKey === undefined) {
        open.splice(open.indexOf(place), 1);
        return;
      }
      // If no item exists any more, the place stays: the next page begins after the deleted items.
      const last = items.length === 0 ? walked(page.lastKey) : items.findLast(stays);
      if (last !== undefined) place.after = placeOf(index, last);
    }
  };
  await pMap([...open], walkSegment, { concurrency: segments });
  return open.length === 0 ? undefined : { segments, open };
}

type Place = NonNullable<WalkPlace['open'][number]['after']>;

function placeOf(index: IndexName | undefined, { source, target, item }: WalkedItem): Place {
  if (index === undefined) return { source, target };
  const { partition, sort } = INDEX_KEYS[index];
  return { source, target, at: { partition: stringOf(item[partition]) ?? '', sort: stringOf(item[sort]) ?? '' } };
}

function startKeyOf({ table }: CompiledModel, index: IndexName | undefined, { source, target, at }: Place): Item {
  const key: Item = { [table.partitionKey]: { S: source }, [table.sortKey]: { S: target } };
  if (index === undefined || at === undefined) return key;
  const { partition, sort } = INDEX_KEYS[index];
  return { ...key, [partition]: { S: at.partition }, [sort]: { S: at.sort } };
}
