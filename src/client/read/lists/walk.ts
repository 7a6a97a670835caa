import { AsyncLocalStorage } from 'node:async_hooks';
import type { ProjectionsInForce } from '../../../registry/projections-in-force.ts';
import { LivingStore } from '../request/living-store.ts';
import type { ReadContext } from '../request/read-context.ts';
import { type Found, type Gathered, gatherPage, type ScatterRequest, type Standing } from './scatter.ts';

/**
 * What a walk keeps after a page. With cursors alone, each page of a list in 200 shards would query all of them and drop most of the
 * results.
 */
interface Kept {
  standing: Standing;
  /** The projections that the page was read with. After any change, the list may be stored elsewhere. */
  projections: ProjectionsInForce;
  /** Sources that the session had written, so that their stored rows were left out. */
  replaced: ReadonlySet<string>;
}

class Walk {
  private before: ReadonlyMap<string, Kept> = new Map();
  private left = new Map<string, Kept>();
  private hasEnded = false;

  turn(): void {
    this.before = this.left;
    this.left = new Map();
  }

  /** Ends the walk for good. A task that was started during a page may still hold the walk. */
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

export async function* itemsOf<Item>(
  read: (cursor: string | undefined) => Promise<{ items: Item[]; cursor?: string }>,
): AsyncGenerator<Item, void, undefined> {
  for await (const { items } of pagesOf(read)) yield* items;
}

export async function gatherListPage(
  context: ReadContext,
  request: ScatterRequest,
  cursor: string | undefined,
  cursorAt: (lastKey: string) => string,
): Promise<Gathered & { cursor?: string }> {
  // A single partition needs no walk: it continues after its last key.
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

/** Leaves out items that have ended or that the session has written since. Returns undefined if the walk is unusable. */
function standingOf(
  { projections, store }: ReadContext,
  { overlay }: ScatterRequest,
  kept: Kept | undefined,
): Standing | undefined {
  if (kept === undefined || kept.projections !== projections) return undefined;
  // The session has forgotten some of these writes, so the rows left out must be read from the index.
  // rule: walk-asks-for-rows-that-own-writes-replaced
  if ([...kept.replaced].some((source) => overlay?.sources.has(source) !== true)) return undefined;
  const { shards, ahead } = kept.standing;
  const isCurrent = ({ item }: Found): boolean => overlay?.isReplaced(item) !== true;
  const isLiving = ({ item }: Found): boolean => !(store instanceof LivingStore && store.isOver(item));
  return { shards, ahead: ahead.filter((found) => isCurrent(found) && isLiving(found)) };
}
