import { AsyncLocalStorage } from 'node:async_hooks';
import type { ProjectionsInForce } from '../../../registry/projections-in-force.ts';
import type { ReadContext } from '../request/context.ts';
import { LivingStore } from '../request/living-store.ts';
import { type Found, type Gathered, gatherPage, type ScatterRequest, type Standing } from './scatter.ts';

/**
 * Walks: the pages of a list, one after the other, in one process. A cursor says where a page ended, and no more: of a list in 200 shards
 * each page by cursor asks all of them, and drops most of what they give. A walk keeps what its pages have read ahead, and asks a shard
 * again when its items are used up.
 *
 * What is kept is found by its cursor, since that names the table, the question and the place. So a walk needs nothing of those who read its
 * pages, and where something stands against what was kept the page is read by its cursor alone.
 */

/** What a page left for the next one. */
interface Kept {
  standing: Standing;
  /** The state of the registry under which it was read: after any change of it the list may lie elsewhere. */
  projections: ProjectionsInForce;
  /** The sources of own writes whose rows were left out. */
  replaced: ReadonlySet<string>;
}

/** What the pages of one walk keep for those after them. */
class Walk {
  private before: ReadonlyMap<string, Kept> = new Map();
  private left = new Map<string, Kept>();
  private hasEnded = false;

  /** Begins the next page: what the pages before the last one left is of no use. */
  turn(): void {
    this.before = this.left;
    this.left = new Map();
  }

  /** Drops everything, and keeps nothing more: a connection or a task that began during a page knows its walk for as long as it lasts. */
  end(): void {
    this.turn();
    this.turn();
    this.hasEnded = true;
  }

  keptAt(cursor: string): Kept | undefined {
    return this.left.get(cursor) ?? this.before.get(cursor);
  }

  leave(cursor: string, kept: Kept): void {
    if (!this.hasEnded) this.left.set(cursor, kept);
  }
}

const walks = new AsyncLocalStorage<Walk>();

/** The pages of a list, until it ends or the loop is left: see `Reader.pages`. */
export async function* pagesOf<P extends { cursor?: string }>(
  read: (cursor: string | undefined) => Promise<P>,
): AsyncGenerator<P, void, undefined> {
  const walk = new Walk();
  let cursor: string | undefined;
  try {
    do {
      walk.turn();
      const from = cursor;
      const page = await walks.run(walk, () => read(from));
      yield page;
      cursor = page.cursor;
    } while (cursor !== undefined);
  } finally {
    walk.end();
  }
}

/** The items of a list, page by page: see `Reader.all`. */
export async function* itemsOf<Item>(
  read: (cursor: string | undefined) => Promise<{ items: Item[]; cursor?: string }>,
): AsyncGenerator<Item, void, undefined> {
  for await (const { items } of pagesOf(read)) yield* items;
}

/**
 * Gathers one page of a derived list, as `gatherPage` does; within a walk from what the page before has left.
 *
 * @param cursor that of the page before; undefined: the first page.
 * @param cursorAt makes the cursor of a sort key.
 */
export async function gatherListPage(
  context: ReadContext,
  request: ScatterRequest,
  cursor: string | undefined,
  cursorAt: (lastKey: string) => string,
): Promise<Gathered & { cursor?: string }> {
  // One partition needs no walk: its page goes on where the last one ended.
  const walk = request.partitions.length > 1 ? walks.getStore() : undefined;
  const standing = cursor === undefined ? undefined : standingOf(context, request, walk?.keptAt(cursor));
  const gathered = await gatherPage(context, { ...request, walk: walk && { standing } });
  const { lastKey } = gathered;
  if (lastKey === undefined) return gathered;
  const next = cursorAt(lastKey);
  if (gathered.standing !== undefined)
    walk?.leave(next, {
      standing: gathered.standing,
      projections: context.projections,
      replaced: request.overlay?.sources ?? new Set(),
    });
  return { ...gathered, cursor: next };
}

/** What was kept, without what is over by now and what the session has written since; undefined: it is of no use now. */
function standingOf(
  { projections, store }: ReadContext,
  { overlay }: ScatterRequest,
  kept: Kept | undefined,
): Standing | undefined {
  if (kept === undefined || kept.projections !== projections) return undefined;
  // The session knows no longer what it wrote, so the index is to be asked for the rows that were left out.
  // rule: walk-asks-for-rows-that-own-writes-replaced
  if ([...kept.replaced].some((source) => overlay?.sources.has(source) !== true)) return undefined;
  const { shards, ahead } = kept.standing;
  const isCurrent = ({ item }: Found): boolean => overlay?.isReplaced(item) !== true;
  const isLiving = ({ item }: Found): boolean => !(store instanceof LivingStore && store.isOver(item));
  return { shards, ahead: ahead.filter((found) => isCurrent(found) && isLiving(found)) };
}
