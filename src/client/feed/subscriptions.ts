import type { CompiledModel } from '../../core/model/compiled.ts';
import { type Runtime, type RuntimeOptions, runtimeOf } from '../../foundation/runtime.ts';
import type { RawRecord } from '../../stream/raw-record.ts';
import { entriesIn, knownItem } from './known-items.ts';
import { nativeChanges } from './native-changes.ts';

/** Options of a feed. */
export interface FeedOptions {
  /** @internal */
  now?: RuntimeOptions['now'];
  /** @internal */
  wait?: RuntimeOptions['wait'];
  /** Milliseconds that a DynamoDB index may lag behind its table. Default: 10,000. */
  indexGraceMs?: number | undefined;
}

const INDEX_GRACE_MS = 10_000;

export interface FeedNews {
  names: ReadonlySet<string>;
  /** Milliseconds since 1970. All records before this time have been delivered. */
  throughMs: number;
}

export class Subscription {
  private changed = new Set<string>();
  private ring: (() => void) | undefined;

  constructor(
    /** Keys of index partitions, and node ids. */
    readonly names: ReadonlySet<string>,
    private readonly feed: Subscriptions,
  ) {}

  tell(name: string): void {
    this.changed.add(name);
    this.wake();
  }

  wake(): void {
    this.ring?.();
  }

  async take(mostMs: number): Promise<FeedNews> {
    if (this.changed.size === 0) await this.waitForRing(mostMs);
    const news = { names: this.changed, throughMs: this.feed.throughMs };
    this.changed = new Set();
    return news;
  }

  private async waitForRing(mostMs: number): Promise<void> {
    const rung = new AbortController();
    this.ring = () => rung.abort();
    try {
      await this.feed.wait(mostMs, rung.signal);
    } catch (error) {
      if (!rung.signal.aborted) throw error;
    } finally {
      this.ring = undefined;
    }
  }
}

/**
 * Tells subscribers which lists and nodes a stream's records may have changed. Subscribers reread the content
 * themselves.
 */
export class Subscriptions {
  private readonly byName = new Map<string, Set<Subscription>>();
  private readonly all = new Set<Subscription>();
  private failure: { reason: unknown } | undefined;
  private through = Number.NEGATIVE_INFINITY;

  /** @internal */
  readonly indexGraceMs: number;
  /** @internal */
  readonly now: Runtime['now'];
  /** @internal */
  readonly wait: Runtime['wait'];

  /** @internal */
  constructor(
    private readonly graph: CompiledModel,
    options: FeedOptions = {},
  ) {
    this.indexGraceMs = options.indexGraceMs ?? INDEX_GRACE_MS;
    const { now, wait } = runtimeOf(options);
    this.now = now;
    this.wait = wait;
  }

  /** Milliseconds since 1970. All records before this time have been delivered. @internal */
  get throughMs(): number {
    return this.through;
  }

  /** @internal */
  subscribe(names: Iterable<string>): Subscription {
    this.throwIfFailed();
    const subscription = new Subscription(new Set(names), this);
    this.all.add(subscription);
    for (const name of subscription.names)
      this.byName.set(name, (this.byName.get(name) ?? new Set()).add(subscription));
    return subscription;
  }

  /** @internal */
  unsubscribe(subscription: Subscription): void {
    this.all.delete(subscription);
    for (const name of subscription.names) {
      const present = this.byName.get(name);
      present?.delete(subscription);
      if (present?.size === 0) this.byName.delete(name);
    }
  }

  /** @internal */
  receive(record: RawRecord): void {
    if (this.all.size === 0) return;
    const item = knownItem(this.graph.table, record);
    if (item === undefined) return;
    const changes = [item, ...nativeChanges(this.graph, record, item)];
    const entries = changes.flatMap(({ oldImage, newImage }) => [...entriesIn(oldImage), ...entriesIn(newImage)]);
    for (const name of [item.source, ...entries.map(({ partition }) => partition)]) {
      for (const subscription of this.byName.get(name) ?? []) subscription.tell(name);
    }
  }

  /** `throughMs` is undefined if it's unknown which records were delivered. @internal */
  noteThrough(throughMs: number | undefined): void {
    this.through = throughMs ?? Number.NEGATIVE_INFINITY;
  }

  /** Makes all subscribers reread, because records may have been missed. @internal */
  noteGap(): void {
    for (const subscription of this.all) for (const name of subscription.names) subscription.tell(name);
  }

  /** Ends the feed: all subscribers get this error. @internal */
  fail(reason: unknown): void {
    this.failure = { reason };
    for (const subscription of this.all) subscription.wake();
  }

  /** @internal */
  throwIfFailed(): void {
    if (this.failure !== undefined) throw this.failure.reason;
  }
}
