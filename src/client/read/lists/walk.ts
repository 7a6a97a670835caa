import { AsyncLocalStorage } from 'node:async_hooks';
import { describe } from '../../../foundation/describe.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import type { ProjectionsInForce } from '../../../registry/projections-in-force.ts';
import type { Standing } from './scatter.ts';

/**
 * State that a walk keeps after a page. With cursors alone, each page of a list in 200 shards would query all of them
 * again and drop most of the results.
 */
export interface Kept {
  standing: Standing;
  /** The projections that the page was read with. After any change, the list may be stored elsewhere. */
  projections: ProjectionsInForce;
  /** Sources that the session had written; their stored rows were left out. */
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

  /**
   * Drops what was kept, and keeps nothing more, even for a task that was started during a page and still holds the
   * walk.
   */
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

export function currentWalk(): Walk | undefined {
  return walks.getStore();
}

type ReadPage<P> = (cursor: string | undefined) => Promise<P>;

export function pagesOf<P extends { cursor?: string }>(read: ReadPage<P>): AsyncGenerator<P, void, undefined> {
  return walkedPages('pages', read);
}

export async function* itemsOf<Item>(
  read: ReadPage<{ items: Item[]; cursor?: string }>,
): AsyncGenerator<Item, void, undefined> {
  for await (const { items } of walkedPages('all', read)) {
    if (!Array.isArray(items)) throw noPage('all', 'a page without items');
    yield* items;
  }
}

async function* walkedPages<P extends { cursor?: string }>(
  method: string,
  read: ReadPage<P>,
): AsyncGenerator<P, void, undefined> {
  if (typeof read !== 'function') {
    throw new EdgeloomError('invalid-argument', `${method} takes a function, but was given ${describe(read)}.`, REMEDY);
  }
  const walk = new Walk();
  let cursor: string | undefined;
  try {
    do {
      walk.turn();
      const from = cursor;
      const page = await walks.run(walk, () => read(from));
      if (typeof page !== 'object' || page === null) throw noPage(method, describe(page));
      yield page;
      cursor = page.cursor;
    } while (cursor !== undefined);
  } finally {
    walk.end();
  }
}

const REMEDY = "Return a list's promise: (cursor) => reader.inbound('USER-U1', 'TICKET', { cursor }).";

function noPage(method: string, found: string): EdgeloomError {
  return new EdgeloomError(
    'invalid-argument',
    `The function of ${method} should return a page of a list, but returned ${found}.`,
    REMEDY,
  );
}
