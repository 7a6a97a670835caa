import type { ReaderLeases } from '../../registry/reader-lease.ts';
import { LivingStore } from '../read/request/living-store.ts';
import type { ReadContext } from '../read/request/read-context.ts';
import { stepsBetween, type WatchedRow } from './list-steps.ts';
import type { FeedNews, Subscription, Subscriptions } from './subscriptions.ts';

/** A query, resolved to where its answer is currently stored. */
export interface Question<Item> {
  /** Keys of index partitions, or node ids. The feed reports changes by these names. */
  names: readonly string[];
  /** False if the answer is read from an index, which lags. */
  isConsistent: boolean;
  /** Only rows named in `changed` may differ from `before`; if it's undefined, any may. */
  read(
    context: ReadContext,
    changed: ReadonlySet<string> | undefined,
    before: readonly WatchedRow<Item>[],
  ): Promise<readonly WatchedRow<Item>[]>;
}

/** `rows` is another array if and only if the rows differ. */
export interface Answer<Item> {
  rows: readonly WatchedRow<Item>[];
  /** Milliseconds since 1970. The rows show every change projected before this time. */
  upToMs: number;
}

/** Limits how often a list that keeps changing is read. */
const PAUSE_MS = 1_000;
/** The reader's lease is renewed this often, because a migration may move the answer. */
const RENEW_MS = 10_000;

/**
 * Keeps one answer for all watchers of a question. Reads it again when the feed reports one of the question's names,
 * when the table's projections change, and at `dueMs`.
 */
export class SharedAnswer<Item> {
  private readonly ending = new AbortController();
  private watchers = 0;
  private turn = new Turn();
  private rows: Answer<Item>['rows'] | undefined;
  private upToMs = Number.NEGATIVE_INFINITY;
  private subscription: Subscription | undefined;
  private projections: ReadContext['projections'] | undefined;
  private readMs = Number.NEGATIVE_INFINITY;
  /** A read from this time on shows all changes that the feed has reported. */
  private settledMs = Number.NEGATIVE_INFINITY;
  private dueMs = Number.POSITIVE_INFINITY;

  constructor(
    private readonly feed: Subscriptions,
    private readonly leases: ReaderLeases,
    private readonly context: ReadContext,
    private readonly resolve: (context: ReadContext) => Question<Item>,
    private readonly onEnd: (answer: unknown) => void,
  ) {
    this.follow().catch((error: unknown) => {
      this.onEnd(this);
      this.turn.fail(error);
    });
  }

  join(): void {
    this.watchers += 1;
  }

  leave(): void {
    this.watchers -= 1;
    if (this.watchers > 0) return;
    this.onEnd(this);
    this.ending.abort();
    this.subscription?.wake();
  }

  async next(known: Answer<Item>['rows'] | undefined): Promise<Answer<Item>> {
    for (;;) {
      const { rows, upToMs } = this;
      if (rows !== undefined && rows !== known) return { rows, upToMs };
      await this.turn.over;
    }
  }

  private async follow(): Promise<void> {
    try {
      let news: FeedNews = { names: new Set(), throughMs: Number.NEGATIVE_INFINITY };
      for (;;) {
        const isRead = await this.refresh(news);
        if (isRead) await this.feed.wait(PAUSE_MS, this.ending.signal);
        this.ending.signal.throwIfAborted();
        // The feed may have ended during the read, when nobody waited for news.
        this.feed.throwIfFailed();
        const mostMs = Math.min(RENEW_MS, this.dueMs - this.feed.now());
        news = await this.subscription!.take(Math.max(0, mostMs));
        this.feed.throwIfFailed();
        this.ending.signal.throwIfAborted();
      }
    } finally {
      if (this.subscription !== undefined) this.feed.unsubscribe(this.subscription);
    }
  }

  private async refresh({ names, throughMs }: FeedNews): Promise<boolean> {
    const { feed, leases } = this;
    let endMs = Number.POSITIVE_INFINITY;
    const context = contextTelling(this.context, (atMs) => {
      endMs = Math.min(endMs, atMs);
    });
    const read = await leases.hold(async (projections) => {
      const held = { ...context, projections };
      const question = this.resolve(held);
      const { isConsistent } = question;
      const readMs = feed.now();
      const lagMs = isConsistent ? 0 : feed.indexGraceMs;
      const isNew = projections !== this.projections;
      if (isNew) this.subscribe(question.names, projections);
      const isDue = isNew || readMs >= this.dueMs;
      // The feed doesn't report changes made before the subscription, and the index may not show them yet.
      // rule: index-may-not-show-new-rows-yet
      if (isNew || names.size > 0) this.settledMs = readMs + lagMs;
      if (!isDue && names.size === 0) return undefined;
      const isWhole = isDue || !isConsistent;
      const rows = await question.read(held, isWhole ? undefined : names, this.rows ?? []);
      return { rows, isWhole, isConsistent, readMs, lagMs };
    });
    if (read !== undefined) {
      const { isWhole, isConsistent, readMs, lagMs } = read;
      this.readMs = readMs;
      if (isWhole) {
        this.upToMs = Math.max(this.upToMs, readMs - lagMs);
        // A migration may build a view without a new record of its node.
        this.dueMs = isConsistent ? readMs + RENEW_MS : Number.POSITIVE_INFINITY;
      }
      this.dueMs = Math.min(this.dueMs, endMs, this.isSettled ? Number.POSITIVE_INFINITY : this.settledMs);
    }
    if (this.isSettled) this.upToMs = Math.max(this.upToMs, throughMs);
    if (read !== undefined) this.show(read.rows);
    return read !== undefined;
  }

  private get isSettled(): boolean {
    return this.readMs >= this.settledMs;
  }

  private show(rows: Answer<Item>['rows']): void {
    if (this.rows !== undefined && stepsBetween(this.rows, rows).length === 0) return;
    this.rows = rows;
    const { turn } = this;
    this.turn = new Turn();
    turn.end();
  }

  private subscribe(names: readonly string[], projections: ReadContext['projections']): void {
    if (this.subscription !== undefined) this.feed.unsubscribe(this.subscription);
    this.subscription = this.feed.subscribe(names);
    this.projections = projections;
  }
}

/** Reports when rows expire: they leave the list long before DynamoDB deletes them and writes a stream record. */
function contextTelling(context: ReadContext, onEnd: (endMs: number) => void): ReadContext {
  const { store } = context;
  return store instanceof LivingStore ? { ...context, store: store.telling(onEnd) } : context;
}

class Turn {
  readonly over: Promise<void>;
  end!: () => void;
  fail!: (error: unknown) => void;

  constructor() {
    this.over = new Promise((resolve, reject) => {
      this.end = resolve;
      this.fail = reject;
    });
    // Avoids an unhandled rejection while nobody waits.
    this.over.catch(() => undefined);
  }
}
