import type { CompiledModel, IndexName } from '../../core/model/compiled.ts';
import type { ScanSource } from '../../core/store-port.ts';
import { TableWalk, type WalkedItem, type WalkPlace, walkStart } from '../../store/table-walk.ts';

/** The options of a walk. */
export interface WalkOptions {
  graph: CompiledModel;
  store: ScanSource;
  stats: { rcu: number };
  /** Walks over an index, which shows the table as it was some time ago. Default: over the table. */
  index?: IndexName;
  /** Segments that are read at once. */
  segments: number;
  /** Items of a page. Default 500. */
  pageItems?: number | undefined;
  onProgress?: (items: number) => void;
  /** Called with each page, before it is visited. */
  onPage?: (items: readonly WalkedItem[]) => void;
  /** Called with each page of a walk over the table, once it is visited to its end. */
  onVisited?: ((items: readonly WalkedItem[]) => void) | undefined;
  /** Throws if the work is not to go on; called with each page that was read, before it is visited. */
  checkStates?: () => Promise<void>;
  /** Tells whether time is over; called before each page. */
  isOver: () => boolean;
  /** Tells whether an item of a page still exists after the visit: see `TableWalkOptions`. */
  stays?: (item: WalkedItem) => boolean;
  /** The place where a walk stopped, to continue from. */
  begunAt?: WalkPlace | undefined;
}

/** Items of a page. A page that has begun is finished even if time is over, and progress is reported after each: the size suits both. */
export const PAGE_ITEMS = 500;

/**
 * Reads every item of the table, or of an index, a page at a time, several segments at once. Scans of the table are consistent: an
 * eventually consistent scan could miss an item that was written before the walk began, and whose record came before its generation
 * was maintained. A pause does no harm: the projector maintains items that are written meanwhile. Returns the place where it stopped
 * because time was over; undefined if it is complete.
 *
 * @param visit returns whether it has finished the page. The walk stops at a page that the visit left because time was over.
 */
export async function walk(
  options: WalkOptions,
  visit: (items: readonly WalkedItem[]) => Promise<boolean>,
): Promise<WalkPlace | undefined> {
  const { graph, store, stats, index, onProgress, onPage, onVisited, stays, checkStates, isOver, begunAt } = options;
  const from = begunAt ?? walkStart(options.segments);
  let seen = 0;
  const tableWalk = new TableWalk(
    {
      graph,
      source: store,
      stats,
      read: { limit: options.pageItems ?? PAGE_ITEMS, ...(index === undefined ? { consistent: true } : { index }) },
      concurrency: from.segments,
      isOver,
      stays,
      onPage(items) {
        seen += items;
        onProgress?.(seen);
      },
    },
    from,
  );
  await tableWalk.run(async ({ items }) => {
    await checkStates?.();
    onPage?.(items);
    const isVisited = await visit(items);
    if (isVisited && index === undefined) onVisited?.(items);
    return isVisited;
  });
  return tableWalk.isDone ? undefined : tableWalk.place;
}
