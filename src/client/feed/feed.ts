import type { CompiledModel } from '../../core/model/compiled.ts';
import { type Runtime, type RuntimeOptions, runtimeOf } from '../../foundation/runtime.ts';
import type { ChangedItem } from '../../stream/changed-items.ts';
import type { RawRecord } from '../../stream/raw-record.ts';
import { entriesIn, knownItem } from './known-items.ts';
import { nativeChanges } from './native-changes.ts';

/** The records that interest one subscriber. */
export interface Interest {
  /** Index partitions: records of items that lie in one of them, or did. */
  partitions?: Iterable<string>;
  /** Index partitions of native lists: changes of rows that are in one of them, or were. */
  natives?: Iterable<string>;
  /** Node ids: records of all items in their partitions. */
  sources?: Iterable<string>;
}

/** The news that one subscriber has not taken yet. */
export interface FeedNews {
  /** The number of records that it was given since. */
  records: number;
  /** Why records may be missing; undefined: none are. */
  gap: string | undefined;
  /** Every record made before this time was given, in milliseconds since 1970; undefined: not known. */
  throughMs: number | undefined;
}

/** A subscriber that takes no news of more records than this gets a gap: its list is read again. */
export const MAX_UNTAKEN_RECORDS = 10_000;

/** Options of a feed. */
export interface FeedOptions {
  /** @internal */
  now?: RuntimeOptions['now'];
  /** @internal */
  wait?: RuntimeOptions['wait'];
  /** How long an index of DynamoDB may lag behind its table, in milliseconds. Default 10,000. */
  indexGraceMs?: number | undefined;
}

const INDEX_GRACE_MS = 10_000;

/** One subscriber's way to the feed. */
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

  /** Hands a record on: none waits here. */
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

  /** Ends a wait. */
  wake(): void {
    this.isWoken = true;
    this.ring?.();
  }

  /** Waits until there is news, or the time is over; gives all news. */
  async take(mostMs: number): Promise<FeedNews> {
    if (!this.isWoken) await this.waitForRing(mostMs);
    return this.drain();
  }

  /** Gives all news, without a wait. */
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

  /** Ends the subscription. */
  end(): void {
    this.close();
  }
}

/**
 * Hands the records of a table's stream on to those who watch lists and nodes: any number of them, with one reading of the stream. A
 * record may come more than once; for each item the records come in their order.
 */
export class Feed {
  private readonly byPartition = new Map<string, Set<Subscription>>();
  private readonly byNative = new Map<string, Set<Subscription>>();
  private readonly bySource = new Map<string, Set<Subscription>>();
  private readonly all = new Set<Subscription>();
  private failure: { reason: unknown } | undefined;
  private through: number | undefined;

  /** How long an index may lag behind its table, in milliseconds. */
  readonly indexGraceMs: number;
  /** Clock in milliseconds since 1970. */
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
   * Subscribes to the records of some places. Throws the error with which the reading of the stream has ended.
   *
   * @param give is called with each record at once, so that none is kept for who is slow: for each item the oldest first.
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

  /** Takes in a record of the stream. */
  receive(record: RawRecord): void {
    if (this.all.size === 0) return;
    const item = knownItem(this.graph.table, record);
    if (item === undefined) return;
    hand(item, [...(this.bySource.get(item.source) ?? []), ...subscriptionsOf(this.byPartition, item)]);
    if (this.byNative.size === 0) return;
    for (const change of nativeChanges(this.graph, record, item)) hand(change, subscriptionsOf(this.byNative, change));
  }

  /** Notes up to when all records were handed on, in milliseconds since 1970, before anyone who watches takes them. */
  noteThrough(throughMs: number | undefined): void {
    this.through = throughMs;
  }

  /** Notes that records may have left the stream unread: everyone reads again. */
  noteGap(reason: string): void {
    for (const subscription of this.all) subscription.noteGap(reason);
  }

  /** Notes that the reading of the stream has ended: everyone who watches gets this error. */
  fail(reason: unknown): void {
    this.failure = { reason };
    for (const subscription of this.all) subscription.wake();
  }

  /** Throws the error with which the reading of the stream has ended. */
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

/** Hands a change on, to each subscriber once. */
function hand(change: ChangedItem, interested: readonly Subscription[]): void {
  for (const subscription of new Set(interested)) subscription.receive(change);
}

/** The subscriptions to the index partitions in which an item lies, or lay before the change. */
function subscriptionsOf(index: ReadonlyMap<string, ReadonlySet<Subscription>>, change: ChangedItem): Subscription[] {
  return [...indexPartitionsOf(change)].flatMap((partition) => [...(index.get(partition) ?? [])]);
}

/** The index partitions in which an item lies, or lay before the change. */
function indexPartitionsOf({ oldImage, newImage }: ChangedItem): Set<string> {
  return new Set([...entriesIn(oldImage), ...entriesIn(newImage)].map(({ partition }) => partition));
}
