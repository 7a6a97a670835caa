import type { ReaderLeases } from '../../registry/reader-lease.ts';
import type { ReadContext } from '../read/request/context.ts';
import type { Feed, Interest, Subscription } from './feed.ts';
import { type ListQuery, WatchedList } from './watched-list.ts';

/** Rows that have left a list are read from behind at most so often, in milliseconds: a reading asks every partition of the list. */
const REFILL_MS = 1_000;

/** A watched list, with all of one reader who ask the same: it is kept up to date once for all of them. */
export class SharedList<Result> {
  readonly list: WatchedList<Result>;
  private readonly subscription: Subscription;
  /** One reading of the index at a time. */
  private turn: Promise<unknown> = Promise.resolve();
  private users = 0;
  private gap: string | undefined;
  private isBegun = false;
  private isLacking = false;
  /** From this time on its beginning has to be read, in milliseconds since 1970. */
  private dueMs = Number.NEGATIVE_INFINITY;
  /** From this time on rows may be read from behind again. */
  private refillMs = Number.NEGATIVE_INFINITY;
  private upToMs = Number.NEGATIVE_INFINITY;

  constructor(
    query: ListQuery<Result>,
    private readonly feed: Feed,
    private readonly onUnused: () => void,
  ) {
    const list = new WatchedList(query, feed.indexGraceMs);
    this.list = list;
    this.subscription = feed.subscribe(interestOf(query), (record) => {
      // A list takes each record at once: none of them waits.
      this.noteGap();
      list.receive(record, feed.now());
    });
  }

  /** True if records may be missing in it. */
  get isStale(): boolean {
    this.noteGap();
    return this.gap !== undefined;
  }

  /** The time up to which its rows show all changes, in milliseconds since 1970. */
  get shownMs(): number {
    return this.upToMs;
  }

  /** The time from which on it has to be refreshed, in milliseconds since 1970, though no record comes; infinite: it need not be. */
  get nextMs(): number {
    return this.isLacking ? Math.min(this.dueMs, this.refillMs) : this.dueMs;
  }

  /** Has the rows read from the beginning again. */
  readAgain(): void {
    this.dueMs = Number.NEGATIVE_INFINITY;
  }

  /** One more watches it. */
  join(): void {
    this.users += 1;
  }

  /** One watches it no more. */
  leave(): void {
    this.users -= 1;
    if (this.users > 0) return;
    this.subscription.end();
    this.onUnused();
  }

  /**
   * Brings it up to date, and calls `take` before the next record: that may leave the list without its last rows for a moment. Returns
   * undefined, without a call, where rows have to be read from behind, and may be from `nextMs` on.
   *
   * @param throughMs every record made before this time was received, in milliseconds since 1970.
   */
  async refresh<T>(context: ReadContext, throughMs: number, take: () => T): Promise<T | undefined> {
    const refreshed = this.turn.then(async () => ((await this.update(context, throughMs)) ? take() : undefined));
    this.turn = refreshed.catch(() => undefined);
    return await refreshed;
  }

  /** Tells whether it is up to date now. */
  private async update(context: ReadContext, throughMs: number): Promise<boolean> {
    const { list, feed } = this;
    const readMs = feed.now();
    if (readMs >= this.dueMs) {
      await list.begin(context, feed.now);
      // A change from just before the subscription has no record in it, and the index may not have shown it.
      this.dueMs = this.isBegun ? Number.POSITIVE_INFINITY : feed.now() + feed.indexGraceMs;
      this.isBegun = true;
      this.upToMs = Math.max(this.upToMs, readMs - feed.indexGraceMs);
    } else {
      this.isLacking = list.isLacking;
      if (this.isLacking && readMs < this.refillMs) return false;
      if (this.isLacking) this.refillMs = readMs + REFILL_MS;
      await list.complete(context, feed.now);
    }
    this.isLacking = false;
    this.dueMs = Math.min(this.dueMs, list.readAgainMs);
    // Until then a change may be missing that no record tells of.
    if (this.dueMs === Number.POSITIVE_INFINITY) this.upToMs = Math.max(this.upToMs, throughMs);
    return true;
  }

  private noteGap(): void {
    this.gap ??= this.subscription.drain().gap;
  }
}

/** The records that a list takes in. */
export function interestOf({ native, partitions }: Pick<ListQuery<unknown>, 'native' | 'partitions'>): Interest {
  return native === undefined ? { partitions } : { natives: partitions };
}

const LISTS = new WeakMap<Feed, WeakMap<ReaderLeases, Map<string, SharedList<never>>>>();

/**
 * Returns the list that equal queries of one reader share, and counts whoever asks among those who watch it: `leave` ends that.
 *
 * @param asked the query as it was asked: with the resolved one it says what the list is.
 */
export function joinList<Result>(
  feed: Feed,
  leases: ReaderLeases,
  asked: object,
  query: ListQuery<Result>,
): SharedList<Result> {
  const ofFeed = LISTS.get(feed) ?? new WeakMap<ReaderLeases, Map<string, SharedList<never>>>();
  LISTS.set(feed, ofFeed);
  const lists = ofFeed.get(leases) ?? new Map<string, SharedList<never>>();
  ofFeed.set(leases, lists);
  const name = nameOf([asked, query]);
  let shared = lists.get(name) as SharedList<Result> | undefined;
  if (shared === undefined || shared.isStale) {
    const made: SharedList<Result> = new SharedList(query, feed, () => {
      if (lists.get(name) === made) lists.delete(name);
    });
    shared = made;
    lists.set(name, shared as SharedList<never>);
  }
  shared.join();
  return shared;
}

/** Queries in one text. Functions are left out: the query as it was asked makes them. */
function nameOf(queries: readonly object[]): string {
  return JSON.stringify(queries, (_name, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
}
