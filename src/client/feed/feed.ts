import type { CompiledModel } from '../../core/model/compiled.ts';
import { type Runtime, type RuntimeOptions, runtimeOf } from '../../foundation/runtime.ts';
import type { ChangedItem } from '../../stream/changed-items.ts';
import type { RawRecord } from '../../stream/raw-record.ts';
import { entriesIn, knownItem } from './known-items.ts';
import { nativeChanges } from './native-changes.ts';

/** Which records a subscriber wants. */
export interface Interest {
  /** Of derived lists. */
  partitions?: Iterable<string>;
  /** Of native lists. */
  natives?: Iterable<string>;
  /** Node ids: records of all items in their partitions. */
  sources?: Iterable<string>;
}

/** What a subscriber has not taken yet. */
export interface FeedNews {
  records: number;
  /** Why records may be missing; undefined if none are. */
  gap: string | undefined;
  /** Every record made before this time was delivered, in milliseconds since 1970; undefined if unknown. */
  throughMs: number | undefined;
}

/** A subscriber with more untaken records gets a gap, and reads its list again. */
export const MAX_UNTAKEN_RECORDS = 10_000;

/** Options of a feed. */
export interface FeedOptions {
  /** @internal */
  now?: RuntimeOptions['now'];
  /** @internal */
  wait?: RuntimeOptions['wait'];
  /** How long a DynamoDB index may lag behind its table, in milliseconds. Default 10,000. */
  indexGraceMs?: number | undefined;
}

const INDEX_GRACE_MS = 10_000;

/** A subscriber's connection to the feed. */
export class Subscription {
  private records = 0;
  private gap: string | undefined;
  private isWoken = false;
  private ring: (() => void) | undefined;

  constructor(
    private readonly give: (record: ChangedItem) => void,
    private readonly wait: Runtime['wait'],
    private readonly throughMs: () => number | undefined,
    private readonly close: () => void,
  ) {}

  receive(record: ChangedItem): void {
    this.give(record);
    this.records += 1;
    if (this.records > MAX_UNTAKEN_RECORDS) this.noteGap('More changes came than were taken.');
    this.wake();
  }

  /** Notes that records may be missing. */
  noteGap(reason: string): void {
    this.gap ??= reason;
    this.wake();
  }

  wake(): void {
    this.isWoken = true;
    this.ring?.();
  }

  /** Waits until there is news or the time is over; returns all news. */
  async take(mostMs: number): Promise<FeedNews> {
    if (!this.isWoken) await this.waitForRing(mostMs);
    return this.drain();
  }

  drain(): FeedNews {
    this.isWoken = false;
    const { records, gap } = this;
    this.records = 0;
    this.gap = undefined;
    return { records, gap, throughMs: this.throughMs() };
  }

  private async waitForRing(mostMs: number): Promise<void> {
    const rung = new AbortController();
    this.ring = () => rung.abort();
    try {
      await this.wait(mostMs, rung.signal);
    } catch (error) {
      if (!rung.signal.aborted) throw error;
    }
    this.ring = undefined;
  }

  end(): void {
    this.close();
  }
}

/**
 * Passes the records of a table's stream to any number of subscribers. A record may come more than once; the records of
 * one item come in order.
 */
export class Feed {
  private readonly byPartition = new Map<string, Set<Subscription>>();
  private readonly byNative = new Map<string, Set<Subscription>>();
  private readonly bySource = new Map<string, Set<Subscription>>();
  private readonly all = new Set<Subscription>();
  private failure: { reason: unknown } | undefined;
  private through: number | undefined;

  readonly indexGraceMs: number;
  readonly now: Runtime['now'];
  private readonly wait: Runtime['wait'];

  constructor(
    private readonly graph: CompiledModel,
    options: FeedOptions = {},
  ) {
    this.indexGraceMs = options.indexGraceMs ?? INDEX_GRACE_MS;
    const { now, wait } = runtimeOf(options);
    this.now = now;
    this.wait = wait;
  }

  /**
   * Throws the error that ended the reading of the stream. `give` gets each record at once, so that slow subscribers
   * keep none in memory.
   */
  subscribe(
    { partitions = [], natives = [], sources = [] }: Interest,
    give: (record: ChangedItem) => void,
  ): Subscription {
    this.throwFailure();
    const expected = [
      { index: this.byPartition, keys: new Set(partitions) },
      { index: this.byNative, keys: new Set(natives) },
      { index: this.bySource, keys: new Set(sources) },
    ];
    const throughMs = (): number | undefined => this.through;
    const subscription = new Subscription(give, this.wait, throughMs, () => {
      this.all.delete(subscription);
      for (const { index, keys } of expected) for (const key of keys) leave(index, key, subscription);
    });
    this.all.add(subscription);
    for (const { index, keys } of expected) for (const key of keys) join(index, key, subscription);
    return subscription;
  }

  /** Takes a record of the stream. */
  receive(record: RawRecord): void {
    if (this.all.size === 0) return;
    const item = knownItem(this.graph.table, record);
    if (item === undefined) return;
    hand(item, [...(this.bySource.get(item.source) ?? []), ...subscriptionsOf(this.byPartition, item)]);
    if (this.byNative.size === 0) return;
    for (const change of nativeChanges(this.graph, record, item)) hand(change, subscriptionsOf(this.byNative, change));
  }

  /** In milliseconds since 1970. */
  noteThrough(throughMs: number | undefined): void {
    this.through = throughMs;
  }

  /** Says that records may have been missed: all subscribers read again. */
  noteGap(reason: string): void {
    for (const subscription of this.all) subscription.noteGap(reason);
  }

  /** Says that the reading of the stream has ended: all subscribers get this error. */
  fail(reason: unknown): void {
    this.failure = { reason };
    for (const subscription of this.all) subscription.wake();
  }

  throwFailure(): void {
    if (this.failure !== undefined) throw this.failure.reason;
  }
}

function join(index: Map<string, Set<Subscription>>, key: string, subscription: Subscription): void {
  const present = index.get(key);
  if (present === undefined) index.set(key, new Set([subscription]));
  else present.add(subscription);
}

function leave(index: Map<string, Set<Subscription>>, key: string, subscription: Subscription): void {
  const present = index.get(key);
  present?.delete(subscription);
  if (present?.size === 0) index.delete(key);
}

function hand(change: ChangedItem, interested: readonly Subscription[]): void {
  for (const subscription of new Set(interested)) subscription.receive(change);
}

function subscriptionsOf(index: ReadonlyMap<string, ReadonlySet<Subscription>>, change: ChangedItem): Subscription[] {
  return [...indexPartitionsOf(change)].flatMap((partition) => [...(index.get(partition) ?? [])]);
}

function indexPartitionsOf({ oldImage, newImage }: ChangedItem): Set<string> {
  return new Set([...entriesIn(oldImage), ...entriesIn(newImage)].map(({ partition }) => partition));
}
