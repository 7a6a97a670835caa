import type { CompiledModel, IndexName } from '../../core/model/compiled.ts';
import type { ScanSource } from '../../core/store-port.ts';
import { TableWalk, type WalkedItem, type WalkPlace, walkStart } from '../../store/table-walk.ts';

export interface WalkOptions {
  graph: CompiledModel;
  store: ScanSource;
  stats: { rcu: number };
  /** Walks over an index, which shows the table as it was some time ago. Default: the table. */
  index?: IndexName;
  segments: number;
  /** Items per page. Default 500. */
  pageItems?: number | undefined;
  onProgress?: (items: number) => void;
  /** Called with each page before its visit. */
  onPage?: (items: readonly WalkedItem[]) => void;
  /** Called with each page of a walk over the table after its visit. */
  onVisited?: ((items: readonly WalkedItem[]) => void) | undefined;
  /** Throws if the work has to stop; called with each page before its visit. */
  checkStates?: () => Promise<void>;
  isOver: () => boolean;
  /** Whether an item still exists after the visit: see `TableWalkOptions`. */
  stays?: (item: WalkedItem) => boolean;
  begunAt?: WalkPlace | undefined;
}

/** A page is finished even if time runs out, and progress is reported after each: the size suits both. */
export const PAGE_ITEMS = 500;

/**
 * Reads every item of the table or an index page by page, several segments at once. Scans of the table are consistent:
 * an eventually consistent scan could miss an item that was written before the walk, and whose record came before its
 * generation was maintained. Pauses are harmless, since the projector maintains items that are written during them.
 * Returns where it stopped because time ran out; undefined if complete.
 *
 * @param visit returns whether it has finished the page. The walk stops at a page left unfinished.
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
