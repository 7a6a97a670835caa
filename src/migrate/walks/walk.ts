import type { CompiledModel, IndexName } from '../../core/model/compiled.ts';
import type { ScanSource } from '../../core/store-port.ts';
import { TableWalk, type WalkedItem, type WalkPlace, walkStart } from '../../store/table-walk.ts';

export interface WalkOptions {
  graph: CompiledModel;
  store: ScanSource;
  stats: { rcu: number };
  index?: IndexName;
  segments: number;
  pageItems?: number | undefined;
  onProgress?: (items: number) => void;
  onVisited?: ((items: readonly WalkedItem[]) => void) | undefined;
  checkStates?: () => Promise<void>;
  isOver: () => boolean;
  stays?: (item: WalkedItem) => boolean;
  begunAt?: WalkPlace | undefined;
}

export const PAGE_ITEMS = 500;

/**
 * Reads the table consistently, because an eventually consistent scan could miss an item whose record came before
 * writers maintained its generation. A walk may pause, since the projector maintains items that are written in the
 * meantime. Returns where the walk stopped because time ran out or a page was left unfinished, or undefined if it is
 * done.
 *
 * @param visit returns whether it has finished the page.
 */
export async function walk(
  options: WalkOptions,
  visit: (items: readonly WalkedItem[]) => Promise<boolean>,
): Promise<WalkPlace | undefined> {
  const { graph, store, stats, index, onProgress, onVisited, stays, checkStates, isOver, begunAt } = options;
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
      onPage({ items }) {
        seen += items.length;
        onProgress?.(seen);
      },
    },
    from,
  );
  await tableWalk.run(async ({ items }) => {
    await checkStates?.();
    const isVisited = await visit(items);
    if (isVisited && index === undefined) onVisited?.(items);
    return isVisited;
  });
  return tableWalk.isDone ? undefined : tableWalk.place;
}
