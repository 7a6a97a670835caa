import type { Feeder } from '../../client/feed/feeder.ts';
import { knownItem } from '../../client/feed/known-items.ts';
import type { ChangeRecord } from '../../core/items/change-record.ts';
import { streamLabel } from '../../core/items/stream-arn.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { ItemKey, Store } from '../../core/store-port.ts';
import { slicesOf } from '../../foundation/for-each.ts';
import type { Runtime } from '../../foundation/runtime.ts';
import type { WriterModel } from '../../registry/writer-model.ts';
import type { StreamSource } from '../../stream/source.ts';
import {
  StreamTail,
  TAIL_LIMITS,
  type TailLimits,
  type TailListener,
  type TailRecord,
} from '../../stream/stream-tail.ts';
import type { ObservedDrift } from './drift.ts';
import type { IndexSample } from './index-sample.ts';
import { itemsDecidedElsewhere, itemsOfRange, type LookContext, lookAt } from './look.ts';
import {
  NO_SHARD,
  type ObserverPace,
  type OpenItem,
  OpenItems,
  type OpenRange,
  type Touch,
  Touches,
} from './open-items.ts';
import { type Gap, MOST_SAVED_DRIFT, type ObserverState } from './state.ts';
import { type Range, touchedBy } from './touched-items.ts';

export interface ObserverContext extends Pick<Runtime, 'now'> {
  /** The model that readers use. Projections that are being built or removed are not judged. */
  model: WriterModel;
  store: Pick<Store, 'get' | 'getMany' | 'query'>;
  source: StreamSource;
  table: CompiledModel['table'];
  lowWatermark: () => Promise<number | undefined>;
  /** Receives everything read from the stream, so that the low watermark needs no other reader. */
  listener?: TailListener | undefined;
  /** Delivers the changes to the feed. A record counts as read only afterwards. */
  feeder?: Pick<Feeder, 'noteGap' | 'tell'> | undefined;
  onDrift?: ((drift: ObservedDrift) => void | Promise<void>) | undefined;
  limits?: Partial<ObserverLimits> | undefined;
  indexSample?: Pick<IndexSample, 'receive'> | undefined;
}

/** Waits and bounds of an observer, in milliseconds unless they count something. */
export interface ObserverLimits extends TailLimits {
  skewMs: number;
  /** How long the projector may take to apply a record before the table is read. */
  graceMs: number;
  /** Above this number of open items and ranges, no records are read. */
  mostOpen: number;
  /** Maximum number of known differences that are saved and don't hold back the verified time. */
  mostExceptions: number;
}

export const GRACE_MS = 3_000;

const LIMITS: ObserverLimits = {
  ...TAIL_LIMITS,
  // The low watermark never passes the last listing of the shards, so listings are frequent.
  listMs: 5_000,
  skewMs: 5_000,
  graceMs: GRACE_MS,
  mostOpen: 100_000,
  mostExceptions: MOST_SAVED_DRIFT,
};

/** Items per look, looks at once, and ranges queried at once. */
const [LOOK, LOOKS_AT_ONCE, RANGES_AT_ONCE] = [100, 8, 4];

export interface Turn {
  records: number;
  isIdle: boolean;
}

/** Knows the time through which the derived items are right. Writes nothing to the table. */
export class Observer {
  private readonly limits: ObserverLimits;
  private readonly items: OpenItems;
  private receipts = 0;
  private readonly tail: StreamTail;
  /** The time through which the derived items are right, in milliseconds since 1970; undefined if unknown. */
  verifiedThroughMs: number | undefined;
  private baseMs: number | undefined;
  /** When the positions in the stream were taken. */
  positionsMs: number | undefined;
  private gap: Gap | undefined;
  /**
   * Names of the projections that readers used at the last turn, perhaps of an earlier run; undefined before any turn.
   */
  private ready: ReadonlySet<string> | undefined;

  constructor(
    private readonly context: ObserverContext,
    from: ObserverState | undefined,
  ) {
    this.limits = { ...LIMITS, ...context.limits };
    const { lateMs, skewMs, graceMs, retentionMs, mostExceptions } = this.limits;
    const marginMs = lateMs + 2 * skewMs + 1_000;
    const pace: ObserverPace = {
      graceMs,
      mostWaitMs: 10 * graceMs,
      driftMs: 100 * graceMs,
      countMs: 20 * graceMs,
      marginMs,
      unknownMs: 2 * marginMs + 30_000,
      mostExceptions,
    };
    this.items = new OpenItems(pace);
    this.tail = new StreamTail({
      ...{ source: context.source, now: context.now, limits: this.limits, listener: context.listener },
      onGap: (reason) => this.beginStreamGap(reason),
    });
    for (const drift of from?.drift ?? []) this.items.keepDrift(drift, context.now());
    if (from === undefined) return;
    // rule: ready-names-are-kept-across-restarts
    this.ready = new Set(from.ready);
    this.baseMs = from.baseMs;
    this.verifiedThroughMs = from.throughMs;
    this.positionsMs = from.positionsMs;
    this.gap = from.gap;
    // rule: another-stream-is-a-gap
    if (from.streamArn !== context.source.streamArn) {
      this.beginStreamGap('The table has another stream than before.');
      return;
    }
    this.tail.resume(from.shards.map(({ sinceMs = from.positionsMs, ...shard }) => ({ ...shard, sinceMs })));
    // rule: long-absence-is-a-gap
    if (context.now() - from.savedMs > retentionMs)
      this.beginStreamGap('The observer was away for longer than the stream keeps its records.');
  }

  /** True if the proof lacks its base. A check of the whole table that begins now or later can be the base. */
  get needsWholeCheck(): boolean {
    const { now } = this.context;
    const isMissing = this.baseMs === undefined || this.gap !== undefined;
    return isMissing && this.positionsMs !== undefined && now() > this.positionsMs + this.limits.lateMs;
  }

  /** True if every shard was read to its current end, and no record read waits to be judged. */
  get isAtRest(): boolean {
    return this.tail.isAtEnd && this.items.touches().next().done === true;
  }

  get drift(): ObservedDrift[] {
    return this.items.drift;
  }

  /** Number of items that aren't known to be right, and of ranges whose items aren't all known. */
  get open(): number {
    return this.items.size;
  }

  async runTurn(): Promise<Turn> {
    // Without a saved state, reading begins at the ends of the shards, and a check has to judge everything from before.
    if (await this.tail.list(this.positionsMs === undefined)) this.positionsMs = this.context.now();
    const records = await this.receiveRecords();
    const looked = await this.lookAndJudge();
    await this.noteWhatIsReady();
    this.moveVerifiedTime();
    return { records, isIdle: records === 0 && looked === 0 };
  }

  /**
   * Uses a check of the whole table as the base of the proof, if the check began after the positions were taken.
   *
   * @param beganMs when the check began, by the observer's clock.
   * @param left the derived items that differ and were not repaired.
   */
  async endWholeCheck(beganMs: number, left: readonly ItemKey[]): Promise<void> {
    // Otherwise, items may have changed unnoticed after the check had read them and before the positions were taken.
    if (this.positionsMs === undefined || beganMs < this.positionsMs) return;
    const graph = await this.context.model.current();
    const items = left.flatMap((key) => itemsDecidedElsewhere(graph, key, undefined));
    const ranges = [...new Set(left.map(({ source }) => source))].map(
      (source): Range => ({ kind: 'partition', source, edgeType: '' }),
    );
    // These items may have differed at any time, so nothing is verified until each is judged.
    const touch: Touch = { shardId: NO_SHARD, after: undefined, stampMs: UNKNOWN_MS, receipt: 0 };
    const nowMs = this.context.now();
    // rule: what-the-check-has-left-is-open
    this.items.touch({ items, ranges }, Touches.of(touch, nowMs), nowMs, nowMs);
    this.baseMs = beganMs;
    this.gap = undefined;
  }

  /**
   * Uses another process's clean check as the base, if its reads showed everything from before the positions.
   *
   * @param beganMs when the check began, by the clock of that process.
   */
  async takeCleanCheck(beganMs: number): Promise<void> {
    const { lateMs, skewMs } = this.limits;
    if (this.positionsMs === undefined || beganMs <= this.positionsMs + lateMs + 2 * skewMs) return;
    await this.endWholeCheck(beganMs, []);
  }

  get shardCount(): number {
    return this.tail.shardIds.length;
  }

  /** The shards whose records are still to come, or may come again after a restart from `state`. */
  shardIdsAfter({ shards }: Pick<ObserverState, 'shards'>): ReadonlySet<string> {
    const finished = new Set(shards.filter(({ isFinished }) => isFinished).map(({ shardId }) => shardId));
    return new Set(this.tail.shardIds.filter((shardId) => !finished.has(shardId)));
  }

  stateToSave(): ObserverState {
    const { source, now } = this.context;
    const held = new Touches();
    for (const { touch } of this.items.touches()) held.add(Touches.of(touch));
    const { oldest } = held;
    const isBaseOpen = oldest.has(NO_SHARD);
    // A shard with open items is saved even if it has left the stream. A restart that doesn't find it notes a gap.
    // rule: open-shard-is-saved-after-it-has-left
    const ids = new Set([...this.tail.shardIds, ...oldest.keys()]);
    ids.delete(NO_SHARD);
    const shards = [...ids].flatMap((shardId) => {
      const read = this.tail.positionOf(shardId);
      const open = oldest.get(shardId);
      const readMs = this.tail.sinceMsOf(shardId);
      const since = readMs === undefined ? {} : { sinceMs: Math.min(readMs, open?.stampMs ?? readMs) };
      if (read?.isFinished === true && open === undefined) return [{ shardId, isFinished: true, ...since }];
      // A shard that waits for its parent is read from its first record.
      if (read === undefined && open === undefined) return [];
      // Open items aren't saved: a restart reads their records again, which reopens them.
      // rule: position-is-that-of-the-oldest-open-record
      const after = open === undefined ? read?.after : open.after;
      return [{ shardId, isFinished: false, ...(after !== undefined && { after }), ...since }];
    });
    return {
      streamArn: source.streamArn,
      savedMs: now(),
      shards,
      throughMs: this.verifiedThroughMs,
      // No record reopens differences that the check left, so a restart before they are judged needs another check.
      // rule: base-is-kept-once-it-is-judged
      baseMs: isBaseOpen ? undefined : this.baseMs,
      positionsMs: this.positionsMs ?? now(),
      ready: [...(this.ready ?? [])],
      gap: this.gap,
      // rule: drift-is-kept-across-restarts
      drift: this.drift.slice(0, this.limits.mostExceptions),
      heldBy: this.heldBy,
    };
  }

  /** The item, shard or gap that holds back the verified time; undefined if only the stream's delay does. */
  heldBy: string | undefined;

  private beginStreamGap(reason: string): void {
    // rule: feed-tells-of-gaps
    this.context.feeder?.noteGap(reason);
    this.beginGap(reason);
  }

  private beginGap(reason: string): void {
    // A gap lasts until a check of the whole table, so it keeps its first reason.
    this.gap ??= { reason, sinceMs: this.context.now() };
    // Only a check that begins after the gap was noticed can be the base.
    // rule: check-begins-after-the-gap
    this.positionsMs = this.context.now();
  }

  private async receiveRecords(): Promise<number> {
    if (this.items.size > this.limits.mostOpen) return 0;
    const { records, failure } = await this.tail.readPages();
    // If this throws, nothing is saved, and the records are read again.
    await this.context.feeder?.tell(records);
    if (records.length > 0) {
      // Read after the records, so that the model includes what readers used when the records were made.
      // `noteWhatIsReady` notices projections that readers began to use later.
      const graph = await this.context.model.current();
      for (const record of records) this.receiveRecord(graph, record);
    }
    if (failure !== undefined) throw failure.error;
    return records.length;
  }

  private receiveRecord(graph: CompiledModel, { shardId, record, sequenceNumber, after, madeMs }: TailRecord): void {
    const { source, table, now, indexSample } = this.context;
    const item = knownItem(table, record);
    if (item === undefined) return;
    const { oldImage, newImage, ...key } = item;
    const change: ChangeRecord = {
      ...{ ...key, sequenceNumber, stream: streamLabel(source.streamArn) },
      ...(oldImage !== undefined && { oldImage }),
      ...(newImage !== undefined && { newImage }),
    };
    this.receipts += 1;
    const touches = Touches.of({ shardId, after, stampMs: madeMs, receipt: this.receipts });
    this.items.touch(touchedBy(graph, change), touches, now());
    indexSample?.receive(change, now());
  }

  private async lookAndJudge(): Promise<number> {
    const { items } = this;
    const { now, store, model, lowWatermark } = this.context;
    const due = items.due(now(), await lowWatermark(), LOOK * LOOKS_AT_ONCE);
    const ranges = items.unqueriedRanges(RANGES_AT_ONCE);
    if (due.length + ranges.length > 0) {
      // Generation ids are never reused, so the current model is right for older records too.
      const context: LookContext = { graph: await model.current(), store, now, lowWatermark };
      await Promise.all(ranges.map((range) => this.nameItems(context, range)));
      await this.lookAtItems(context, due);
    }
    const through = this.receivedThroughMs;
    if (through !== undefined) {
      for (const drift of items.judge(through, now())) await this.context.onDrift?.(drift);
      items.closeRanges(through);
    }
    return due.length + ranges.length;
  }

  private async nameItems(context: LookContext, range: OpenRange): Promise<void> {
    for await (const items of itemsOfRange(context, range.range)) this.items.nameItems(range, items, context.now());
    // rule: fan-out-reaches-behind-missing-reverse-items
    this.items.nameItems(range, this.items.sharesBehind(range.range), context.now());
    range.queriedMs = context.now();
  }

  private async lookAtItems(context: LookContext, due: readonly OpenItem[]): Promise<void> {
    const ended = await Promise.allSettled(
      [...slicesOf(due, LOOK)].map(async (items) => {
        const suspects = items.map(({ suspect }) => suspect);
        for (const [i, found] of (await lookAt(context, suspects)).entries()) this.items.endLook(items[i]!, found);
      }),
    );
    const failed = ended.find((look) => look.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /** The time before which all records were received; undefined until every shard was read. */
  private get receivedThroughMs(): number | undefined {
    const { skewMs } = this.limits;
    const through = this.tail.horizon.leastThrough();
    // The stream's timestamps are whole seconds, and clocks may differ.
    // rule: received-time-allows-for-clocks
    return through === undefined ? undefined : through.atMs - 2 * skewMs - 1_000;
  }

  /** Ends the proof if readers begin to use a projection that no check has judged. Must follow the looks of a turn. */
  private async noteWhatIsReady(): Promise<void> {
    const { standings } = await this.context.model.current();
    const { ready: before } = this;
    this.ready = new Set(standings?.ready);
    const used = before && [...this.ready].find((name) => !before.has(name));
    if (used === undefined) return;
    // rule: base-ends-when-more-is-ready
    this.beginGap(`No check of the whole table has judged ${used}, which readers use now.`);
    // The verified time covered only the other projections.
    // rule: time-is-withdrawn-with-the-base
    this.verifiedThroughMs = undefined;
  }

  private moveVerifiedTime(): void {
    const through = this.tail.horizon.leastThrough();
    const { skewMs } = this.limits;
    // rule: time-stands-in-a-gap
    if (this.gap !== undefined || this.baseMs === undefined) {
      this.heldBy = this.gap?.reason ?? 'No check of the whole table is the base yet.';
      return;
    }
    if (through === undefined) {
      this.heldBy = 'A shard of the stream is not read yet.';
      return;
    }
    let leastMs = through.atMs;
    let heldBy = through.shardId === undefined ? undefined : `shard ${through.shardId}`;
    for (const { touch, of } of this.items.touches()) {
      // rule: open-parts-hold-the-time
      if (touch.stampMs >= leastMs) continue;
      leastMs = touch.stampMs;
      heldBy = 'sortKey' in of ? `${of.source} ${of.sortKey}` : `${of.kind} of ${of.source} ${of.edgeType}`.trim();
    }
    this.heldBy = heldBy;
    if (leastMs === UNKNOWN_MS) return;
    // rule: time-allows-for-clocks
    const verifiedMs = leastMs - 2 * skewMs - 1_000;
    // A restart reads older records again, but doesn't lower the time.
    if (this.verifiedThroughMs === undefined || verifiedMs > this.verifiedThroughMs)
      this.verifiedThroughMs = verifiedMs;
  }
}

/** The stamp of differences that no record explains. */
const UNKNOWN_MS = 0;
