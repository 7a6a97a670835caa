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

/** An item as a scan gives it, with its key. */
export function walkedItem({ table }: CompiledModel, item: Item): WalkedItem {
  return { source: stringOf(item[table.partitionKey]) ?? '', target: stringOf(item[table.sortKey]) ?? '', item };
}

/** How a table is walked. */
export interface WalkOptions {
  graph: CompiledModel;
  store: ScanSource;
  stats: { rcu: number };
  /** Walks through an index, which shows what was in the table some time ago. Default: through the table. */
  index?: IndexName;
  /** Parts that are read at once. */
  segments: number;
  onProgress?: (items: number) => void;
  /** Called with each page, before it is visited. */
  onPage?: (items: readonly WalkedItem[]) => void;
  /** Whether time is over; asked before each page. */
  isOver: () => boolean;
  /**
   * Whether an item of a page stays when the page has been visited. Default: each does. A walk goes on behind one that stays:
   * the embedded engine finds nothing behind an item that is gone, where DynamoDB finds what comes next.
   */
  stays?: (item: WalkedItem) => boolean;
  /** Goes on where a walk stopped. */
  begunAt?: WalkPlace | undefined;
}

/** A page is brought to its end when time is over, and tells of progress: small enough for both. */
const PAGE_ITEMS = 500;

/**
 * Reads every item by consistent scans, a page at a time, several parts at once. An eventually consistent one might miss an
 * item that was written before the walk began and whose record came before its generation was kept. A pause does no harm: what
 * comes behind the place meanwhile is the projector's. Gives where it stopped for want of time; undefined at its end.
 *
 * @param visit gives whether it is done with the page; a page that it left for want of time is where the walk stops.
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
      // Where none stays, the place does not move: what was behind it is gone.
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
