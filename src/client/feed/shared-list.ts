import type { ReaderLeases } from '../../registry/reader-lease.ts';
import type { ReadContext } from '../read/request/read-context.ts';
import type { Feed, Interest, Subscription } from './feed.ts';
import { type ListQuery, WatchedList } from './watched-list.ts';

/** Each reading for replacement rows asks every partition of the list. */
const REFILL_MS = 1_000;

export class SharedList<Result> {
  readonly list: WatchedList<Result>;
  private readonly subscription: Subscription;
  /** Serializes reads of the index. */
  private turn: Promise<unknown> = Promise.resolve();
  private users = 0;
  private gap: string | undefined;
  private isBegun = false;
  private isLacking = false;
  /** In milliseconds since 1970. */
  private dueMs = Number.NEGATIVE_INFINITY;
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
      this.noteGap();
      list.receive(record, feed.now());
    });
  }

  get isStale(): boolean {
    this.noteGap();
    return this.gap !== undefined;
  }

  get shownMs(): number {
    return this.upToMs;
  }

  /** In milliseconds since 1970; infinite if it needn't be refreshed without a record. */
  get nextMs(): number {
    return this.isLacking ? Math.min(this.dueMs, this.refillMs) : this.dueMs;
  }

  readAgain(): void {
    this.dueMs = Number.NEGATIVE_INFINITY;
  }

  join(): void {
    this.users += 1;
  }

  leave(): void {
    this.users -= 1;
    if (this.users > 0) return;
    this.subscription.end();
    this.onUnused();
  }

  /**
   * Calls `take` before the next record can remove rows from its end. Undefined if replacement rows are missing and may
   * not be read before `nextMs`.
   */
  async refresh<T>(context: ReadContext, throughMs: number, take: () => T): Promise<T | undefined> {
    const refreshed = this.turn.then(async () => ((await this.update(context, throughMs)) ? take() : undefined));
    this.turn = refreshed.catch(() => undefined);
    return await refreshed;
  }

  private async update(context: ReadContext, throughMs: number): Promise<boolean> {
    const { list, feed } = this;
    const readMs = feed.now();
    if (readMs >= this.dueMs) {
      await list.begin(context, feed.now);
      // A change from just before the subscription comes with no record, and the index may not have shown it.
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
    // Until then a change without a record may be missing.
    if (this.dueMs === Number.POSITIVE_INFINITY) this.upToMs = Math.max(this.upToMs, throughMs);
    return true;
  }

  private noteGap(): void {
    this.gap ??= this.subscription.drain().gap;
  }
}

export function interestOf({ native, partitions }: Pick<ListQuery<unknown>, 'native' | 'partitions'>): Interest {
  return native === undefined ? { partitions } : { natives: partitions };
}

const LISTS = new WeakMap<Feed, WeakMap<ReaderLeases, Map<string, SharedList<never>>>>();

/** Counts the caller as a subscriber until `leave`. */
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

/** Functions follow from the original query. */
function nameOf(queries: readonly object[]): string {
  return JSON.stringify(queries, (_name, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
}
