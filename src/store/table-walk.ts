import pMap from 'p-map';
import { type Item, stringOf } from '../core/items/attribute-value.ts';
import { INDEX_KEYS } from '../core/items/derived-item.ts';
import type { CompiledModel, IndexName } from '../core/model/compiled.ts';
import type { ReadStats } from '../core/store-pages.ts';
import type { ItemKey, ScanRequest, ScanSource } from '../core/store-port.ts';

/** A walk over a whole table, or an index, that can stop at any page and continue from there, also in another process. */

/** An item of the table with its key. */
export interface WalkedItem {
  source: string;
  target: string;
  item: Item;
}

/** Adds its key to an item of a scan. */
export function walkedItem({ table }: Pick<CompiledModel, 'table'>, item: Item): WalkedItem {
  return { source: stringOf(item[table.partitionKey]) ?? '', target: stringOf(item[table.sortKey]) ?? '', item };
}

/** The last item that a walk has read in a segment. In a walk over an index `at` is its index key. */
export interface WalkedKey extends ItemKey {
  at?: { partition: string; sort: string } | undefined;
}

/** The place where a walk stopped: JSON, for the next call or for a file. */
export interface WalkPlace {
  /** The number of segments that the table is read in. */
  segments: number;
  /** The segments that are not read to their end, with the last key read; without a key: not begun. */
  open: { segment: number; after?: WalkedKey | undefined }[];
}

/** The place of a walk that has not begun. */
export function walkStart(segments: number): WalkPlace {
  return { segments, open: Array.from({ length: segments }, (_, segment) => ({ segment })) };
}

/** How a walk reads, and when it stops. */
export interface TableWalkOptions {
  graph: Pick<CompiledModel, 'table'>;
  source: ScanSource;
  /** Where the read units are counted. Absent: the source counts them. */
  stats?: ReadStats;
  /** How pages are read. With an index the walk shows the table as it was some time ago. Default: the table, eventually consistent. */
  read?: Pick<ScanRequest, 'limit' | 'consistent'> & { index?: IndexName | undefined };
  /** Segments that are read at once. */
  concurrency: number;
  /** Tells whether time is over; called before each page. */
  isOver: () => boolean;
  /**
   * Tells whether an item of a page still exists after the visit. Default: each does. A walk continues after an item that exists: the
   * embedded engine finds nothing after a deleted item, while DynamoDB finds the next one.
   */
  stays?: ((item: WalkedItem) => boolean) | undefined;
  /** Called after each page, when the place has moved past it; the next page of the segment is read after it has resolved. */
  onPage?: (items: number) => void | Promise<void>;
}

/** One page of a segment. */
export interface WalkedPage {
  segment: number;
  items: readonly WalkedItem[];
  /** True if the segment ends with it. */
  isLast: boolean;
}

/** A walk, with its place at any time. */
export class TableWalk {
  /** The place from which another walk would continue now. */
  readonly place: WalkPlace;

  constructor(
    private readonly options: TableWalkOptions,
    from: WalkPlace,
  ) {
    this.place = structuredClone(from);
  }

  /** True if every segment is read to its end. */
  get isDone(): boolean {
    return this.place.open.length === 0;
  }

  /**
   * Reads every page, several segments at once, until the end or until time is over.
   *
   * @param visit returns whether it has finished the page. A segment stops at a page that the visit left because time was over.
   */
  async run(visit: (page: WalkedPage) => Promise<boolean>): Promise<void> {
    const { concurrency } = this.options;
    await pMap([...this.place.open], (open) => this.walkSegment(open, visit), { concurrency });
  }

  private async walkSegment(
    open: WalkPlace['open'][number],
    visit: (page: WalkedPage) => Promise<boolean>,
  ): Promise<void> {
    const { graph, source, stats, read = {}, isOver, stays = () => true, onPage } = this.options;
    const { segment } = open;
    const { segments } = this.place;
    while (!isOver()) {
      const startKey = open.after && startKeyOf(graph, read.index, open.after);
      const page = await source.scan({ ...read, segment, segments, startKey });
      if (stats !== undefined) stats.rcu += page.rcu;
      const items = page.items.map((item) => walkedItem(graph, item));
      const isLast = page.lastKey === undefined;
      if (!(await visit({ segment, items, isLast }))) return;
      if (page.lastKey === undefined) this.place.open.splice(this.place.open.indexOf(open), 1);
      else {
        // If no item exists any more, the place stays: the next page begins after the deleted items.
        const last = items.length === 0 ? walkedItem(graph, page.lastKey) : items.findLast(stays);
        if (last !== undefined) open.after = walkedKeyOf(read.index, last);
      }
      await onPage?.(items.length);
      if (isLast) return;
    }
  }
}

function walkedKeyOf(index: IndexName | undefined, { source, target, item }: WalkedItem): WalkedKey {
  if (index === undefined) return { source, target };
  const { partition, sort } = INDEX_KEYS[index];
  return { source, target, at: { partition: stringOf(item[partition]) ?? '', sort: stringOf(item[sort]) ?? '' } };
}

function startKeyOf(
  { table }: Pick<CompiledModel, 'table'>,
  index: IndexName | undefined,
  { source, target, at }: WalkedKey,
): Item {
  const key: Item = { [table.partitionKey]: { S: source }, [table.sortKey]: { S: target } };
  if (index === undefined || at === undefined) return key;
  const { partition, sort } = INDEX_KEYS[index];
  return { ...key, [partition]: { S: at.partition }, [sort]: { S: at.sort } };
}
