import pMap from 'p-map';
import { SERVICE_PARTITION } from '../../core/items/keys.ts';
import { isSequenceNumber, streamLabel, watermarkOf } from '../../core/items/watermark.ts';
import type { Suspect } from '../../core/kinds/part.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { ItemKey, Store } from '../../core/store-port.ts';
import type { Runtime } from '../../foundation/runtime.ts';
import { changedItems } from '../../projecting/stream/changed-items.ts';
import { readableShards } from '../../projecting/stream/lineage.ts';
import { ShardPages } from '../../projecting/stream/shard-pages.ts';
import { type Shard, StreamError, type StreamRecord, type StreamSource } from '../../projecting/stream/source.ts';
import { StreamLabel } from '../../projecting/stream/stream-label.ts';
import type { WriterModel } from '../../registry/writer-model.ts';
import { Horizon } from './horizon.ts';
import { hasQuarantineEntry, type LookContext, lookAtSuspects, partsDecidedElsewhere, partsOfSpread } from './look.ts';
import type { ObservedDrift, Spread, Touch } from './obligation.ts';
import { Obligations, type ObserverPace, type OpenSpread } from './obligations.ts';
import type { SeenChange } from './opened.ts';
import type { Gap, ObserverState } from './state.ts';

/** The values that an observer needs. */
export interface ObserverContext extends Pick<Runtime, 'now'> {
  /** The model that writers maintain: records are judged by it. Asked after the records were read. */
  maintained: WriterModel;
  /** The model of what is ready, which the table is compared with. */
  ready: WriterModel;
  store: Pick<Store, 'get' | 'getMany' | 'query'>;
  source: StreamSource;
  table: CompiledModel['table'];
  /** The time before which the projector has applied every record, in milliseconds since 1970; undefined: not known. */
  lowMark: () => Promise<number | undefined>;
  /** Called with drift that was not known before. */
  onDrift?: ((drift: ObservedDrift) => void | Promise<void>) | undefined;
  limits?: Partial<ObserverLimits> | undefined;
}

/** The waits and bounds of an observer, times in milliseconds. */
export interface ObserverLimits {
  /** The longest time until a record can be read. */
  lateMs: number;
  /** The greatest difference between two clocks. */
  skewMs: number;
  /** How long the projector has for a record before the table is read. */
  settleMs: number;
  /** How often the shards are listed. */
  listMs: number;
  /** How long the stream keeps a record, less a margin. */
  retentionMs: number;
  /** With more open parts than this, no records are read until some are closed. */
  mostOpen: number;
  /** Known drift that is saved, and does not hold the time; what is beyond this number does. */
  mostExceptions: number;
}

const LIMITS: ObserverLimits = {
  lateMs: 10_000,
  skewMs: 5_000,
  settleMs: 3_000,
  listMs: 10_000,
  retentionMs: 23 * 3_600_000,
  mostOpen: 100_000,
  mostExceptions: 25,
};

/** Shards that are read at once, parts in a look, Queries at once, and empty pages that show the end of a shard. */
const [SHARDS_AT_ONCE, LOOK, SPREADS_AT_ONCE, EMPTY_PAGES] = [32, 100, 4, 2];

/** The work that one turn has done. */
export interface Turn {
  records: number;
  /** Whether nothing is left to be read or looked at now. */
  isIdle: boolean;
}

/** One shard, as it is read. */
class ObservedShard {
  last: string | undefined;
  isEnded = false;
  emptyPages = 0;
  /** The observer's clock before the first of the empty pages. */
  emptySinceMs = 0;
  /** The reading continues from a saved position, or from the shard's beginning. */
  constructor(
    readonly shardId: string,
    readonly pages: ShardPages,
    after: string | undefined,
  ) {
    this.last = after;
  }
}

/**
 * Reads a table's stream, base and derived items, and judges each change: so it can say at any time through when the derived items
 * are right. `runTurn` is called again and again by whoever runs it; it keeps nothing in the table, `state` is what a restart needs.
 */
export class Observer {
  private readonly limits: ObserverLimits;
  private readonly obligations: Obligations;
  private readonly horizon: Horizon;
  private readonly shards = new Map<string, ObservedShard>();
  private readonly finished = new Set<string>();
  private readonly saved: Map<string, string | undefined>;
  /** For each shard: no record that is still to be read was made before this time, in milliseconds since 1970. */
  private readonly since = new Map<string, number>();
  private listed: Shard[] = [];
  private listedMs = Number.NEGATIVE_INFINITY;
  private throughMs: number | undefined;
  private baseMs: number | undefined;
  private positionsMs: number | undefined;
  private gap: Gap | undefined;
  private graph: CompiledModel | undefined;
  private isDisabled = false;
  /** Drift of an earlier process, until the model is known that judges it. */
  private readonly known: ObservedDrift[];

  /** @param from the state that an earlier process has saved; undefined: there is none. */
  constructor(
    private readonly context: ObserverContext,
    from: ObserverState | undefined,
  ) {
    this.limits = { ...LIMITS, ...context.limits };
    const { lateMs, skewMs, settleMs, retentionMs, mostExceptions } = this.limits;
    const marginMs = lateMs + 2 * skewMs + 1_000;
    const pace: ObserverPace = {
      settleMs,
      mostWaitMs: 10 * settleMs,
      driftMs: 100 * settleMs,
      countMs: 20 * settleMs,
      marginMs,
      unknownMs: 2 * marginMs + 30_000,
      mostExceptions,
    };
    this.obligations = new Obligations(pace);
    this.horizon = new Horizon(lateMs);
    this.saved = new Map();
    this.known = [...(from?.drift ?? [])];
    if (from === undefined) return;
    this.baseMs = from.baseMs;
    this.throughMs = from.throughMs;
    this.positionsMs = from.positionsMs;
    this.gap = from.gap;
    // rule: another-stream-is-a-gap
    if (from.streamArn !== context.source.streamArn) {
      this.noteGap('The table has another stream than before.');
      return;
    }
    for (const { shardId, after, isFinished, sinceMs = from.positionsMs } of from.shards) {
      this.since.set(shardId, sinceMs);
      if (isFinished) this.finished.add(shardId);
      else this.saved.set(shardId, after);
    }
    // rule: long-absence-is-a-gap
    if (context.now() - from.savedMs > retentionMs)
      this.noteGap('The observer was away for longer than the stream keeps its records.');
  }

  /** Whether the proof lacks its base: a check of the whole table that begins now, or later, would be one. */
  get needsWholeCheck(): boolean {
    const { now } = this.context;
    const isMissing = this.baseMs === undefined || this.gap !== undefined;
    return isMissing && this.positionsMs !== undefined && now() > this.positionsMs + this.limits.lateMs;
  }

  /** When the positions were taken from which a check can be the base, in milliseconds since 1970; undefined: not yet. */
  get sinceMs(): number | undefined {
    return this.positionsMs;
  }

  /** Whether every shard was read to where it ends now, and nothing that was read waits to be judged. */
  get isAtRest(): boolean {
    const isRead = [...this.shards.values()].every(({ isEnded, emptyPages }) => isEnded || emptyPages >= EMPTY_PAGES);
    return isRead && this.obligations.touches().next().done === true;
  }

  /** The parts that are certainly wrong. */
  get drift(): ObservedDrift[] {
    return this.obligations.drift;
  }

  /** Number of parts that are not known to be right yet. */
  get open(): number {
    return this.obligations.size;
  }

  /** Reads the next page of each shard, judges what is due, and moves the time. */
  async runTurn(): Promise<Turn> {
    await this.listShards();
    const records = await this.readPages();
    const looked = await this.lookAndJudge();
    this.moveVerifiedTime();
    return { records, isIdle: records === 0 && looked === 0 };
  }

  /**
   * Takes in the end of a check of the whole table that began after `needsWholeCheck` was true: it is the base of the proof.
   *
   * @param beganMs when it began, by the observer's clock.
   * @param left the derived items that it has found to differ, and not repaired.
   */
  async endWholeCheck(beganMs: number, left: readonly ItemKey[]): Promise<void> {
    // A gap that was noticed during the check may hide changes of what the check had read by then.
    if (this.positionsMs === undefined || beganMs < this.positionsMs) return;
    const graph = await this.context.ready.current();
    const context = { graph, streamLabel: streamLabel(this.context.source.streamArn) };
    const suspects = left.flatMap(({ source, target }) => partsDecidedElsewhere(context, source, target, undefined));
    const spreads = [...new Set(left.map(({ source }) => source))].map(
      (source): Spread => ({ kind: 'partition', source, edgeType: '' }),
    );
    // Nobody knows since when they differ: until each is judged, nothing is claimed.
    const touch: Touch = {
      shardId: '',
      after: undefined,
      stampMs: UNKNOWN_MS,
      // Its records may be the last ones before the check.
      newestMs: this.context.now(),
      receipt: 0,
    };
    // rule: what-the-check-has-left-is-open
    this.obligations.reopen(graph, { suspects, spreads }, [touch], this.context.now());
    this.baseMs = beganMs;
    this.gap = undefined;
  }

  /**
   * Takes in that a check of the whole table by another process found nothing: it is the base of the proof, if it began late enough for
   * its reads to show everything from before the positions.
   *
   * @param beganMs when it began, by the clock of that process.
   */
  async takeCleanCheck(beganMs: number): Promise<void> {
    const { lateMs, skewMs } = this.limits;
    if (this.positionsMs === undefined || beganMs <= this.positionsMs + lateMs + 2 * skewMs) return;
    await this.endWholeCheck(beganMs, []);
  }

  /** The state for a restart. */
  stateToSave(): ObserverState {
    const { source, now } = this.context;
    const oldest = new Map<string, { after: string | undefined; receipt: number }>();
    const openSince = new Map<string, number>();
    let isBaseOpen = false;
    for (const { touch } of this.obligations.touches()) {
      const { shardId, after, receipt, stampMs } = touch;
      openSince.set(shardId, Math.min(stampMs, openSince.get(shardId) ?? stampMs));
      if (shardId === '') isBaseOpen = true;
      const known = oldest.get(shardId);
      if (known === undefined || receipt < known.receipt) oldest.set(shardId, { after, receipt });
    }
    // A shard that has left the stream with something open is saved too: a restart does not find it, which is a gap.
    // rule: open-shard-is-saved-after-it-has-left
    const ids = new Set([...this.listed.map(({ shardId }) => shardId), ...oldest.keys()]);
    ids.delete('');
    const shards = [...ids].flatMap((shardId) => {
      const readMs = this.horizon.throughMsOf(shardId) ?? this.since.get(shardId);
      const sinceMs = readMs && Math.min(readMs, openSince.get(shardId) ?? readMs);
      const since = sinceMs === undefined ? {} : { sinceMs };
      if (this.finished.has(shardId) && !oldest.has(shardId)) return [{ shardId, isFinished: true, ...since }];
      const shard = this.shards.get(shardId);
      const open = oldest.get(shardId);
      // A shard that waits for its parent begins at its first record.
      if (shard === undefined && open === undefined && !this.saved.has(shardId)) return [];
      // The open parts are in no saved state: their records open them again.
      // rule: position-is-that-of-the-oldest-open-record
      const after = open === undefined ? (shard === undefined ? this.saved.get(shardId) : shard.last) : open.after;
      return [{ shardId, isFinished: false, ...(after !== undefined && { after }), ...since }];
    });
    const parents = new Map(this.listed.map(({ shardId, parentShardId }) => [shardId, parentShardId]));
    const goesBack = new Set(shards.filter(({ isFinished }) => !isFinished).map(({ shardId }) => shardId));
    const isReadAgain = (shardId: string): boolean => {
      const parent = parents.get(shardId);
      return parent !== undefined && parents.has(parent) && (goesBack.has(parent) || isReadAgain(parent));
    };
    return {
      streamArn: source.streamArn,
      savedMs: now(),
      // The children of a shard that is read again are read again too: a parent's records come before its children's.
      // rule: children-are-read-again-with-their-parent
      shards: shards.filter(({ shardId }) => !isReadAgain(shardId)),
      throughMs: this.throughMs,
      // No record opens the differences that the check has left: a restart before they are judged needs another check.
      // rule: base-is-kept-once-it-is-judged
      baseMs: isBaseOpen ? undefined : this.baseMs,
      positionsMs: this.positionsMs ?? now(),
      gap: this.gap,
      // rule: drift-is-kept-across-restarts
      drift: this.drift.slice(0, this.limits.mostExceptions),
      heldBy: this.heldBy,
    };
  }

  /** The item, shard or gap that holds the time now, in words; undefined: only the delay of the stream does. */
  heldBy: string | undefined;

  /** Through when the derived items are right, in milliseconds since 1970; undefined: not known. */
  get verifiedThroughMs(): number | undefined {
    return this.throughMs;
  }

  private noteGap(reason: string): void {
    // Only a check of the whole table ends a gap.
    this.gap ??= { reason, sinceMs: this.context.now() };
    // A check is the base of what follows only if it begins after this.
    // rule: check-begins-after-the-gap
    this.positionsMs = this.context.now();
  }

  private async listShards(): Promise<void> {
    const { source, now } = this.context;
    const { listMs } = this.limits;
    const atMs = now();
    const isLacking = ({ shardId }: Shard): boolean => this.finished.has(shardId) && !this.hasChild(shardId);
    const hasEnded = !this.isDisabled && this.listed.some(isLacking);
    if (atMs - this.listedMs < listMs && !hasEnded) return;
    const isFirst = this.listedMs === Number.NEGATIVE_INFINITY;
    const { shards, status } = await source.describe();
    const listed = new Set(shards.map(({ shardId }) => shardId));
    for (const shardId of [...this.shards.keys(), ...this.saved.keys()]) {
      if (listed.has(shardId)) continue;
      // rule: lost-shard-is-a-gap
      if (!this.finished.has(shardId))
        this.noteGap(`Shard ${shardId} has left the stream before it was read to its end.`);
      this.shards.delete(shardId);
      this.saved.delete(shardId);
    }
    if (isFirst && this.positionsMs === undefined) await this.beginAtShardEnds(shards);
    this.horizon.listed(shards, atMs, status === 'DISABLED');
    for (const shardId of this.finished) {
      if (listed.has(shardId)) this.horizon.noteEnd(shardId);
      else this.finished.delete(shardId);
    }
    this.isDisabled = status === 'DISABLED';
    this.listed = shards;
    this.listedMs = atMs;
    const isFinished = (shardId: string): boolean => this.finished.has(shardId);
    // rule: parent-shards-are-read-first
    for (const { shardId } of readableShards(shards, isFinished)) this.followShard(shardId);
  }

  /** Without a state: begins at the end of each shard that is open now. A check has to judge everything before. */
  private async beginAtShardEnds(shards: readonly Shard[]): Promise<void> {
    const { source, now } = this.context;
    const parents = new Set(shards.map(({ parentShardId }) => parentShardId));
    for (const { shardId } of shards) {
      if (parents.has(shardId)) this.finished.add(shardId);
      else this.followShard(shardId, await source.latest(shardId));
    }
    this.positionsMs = now();
  }

  private followShard(shardId: string, iterator?: string): void {
    if (this.shards.has(shardId)) return;
    const after = this.saved.get(shardId);
    this.saved.delete(shardId);
    if (after === undefined && iterator === undefined) this.beginAtOldest(shardId);
    const pages = new ShardPages(
      this.context.source,
      shardId,
      { after, ...(iterator !== undefined && { iterator }) },
      // rule: trimmed-records-are-a-gap
      (text) => this.noteGap(text),
    );
    this.shards.set(shardId, new ObservedShard(shardId, pages, after));
  }

  /** The oldest record of a shard is its first one only as long as that has not left the stream. */
  private beginAtOldest(shardId: string): void {
    const { now } = this.context;
    const parent = this.listed.find((shard) => shard.shardId === shardId)?.parentShardId ?? '';
    const sinceMs = this.since.get(shardId) ?? this.horizon.throughMsOf(shardId) ?? this.since.get(parent);
    if (sinceMs !== undefined) this.since.set(shardId, sinceMs);
    // rule: first-records-that-have-left-are-a-gap
    if (sinceMs === undefined || now() - sinceMs > this.limits.retentionMs) {
      this.noteGap(`The first records of shard ${shardId} may have left the stream.`);
    }
  }

  private hasChild(shardId: string): boolean {
    return this.listed.some(({ parentShardId }) => parentShardId === shardId);
  }

  /** Reads one page of each shard. */
  private async readPages(): Promise<number> {
    const { now, maintained } = this.context;
    if (this.obligations.size > this.limits.mostOpen) return 0;
    const open = [...this.shards.values()].filter(({ isEnded }) => !isEnded);
    const pages = await pMap(
      open,
      async (shard) => {
        const atMs = now();
        try {
          return { shard, atMs, page: await shard.pages.next() };
        } catch (error) {
          // The next listing says what has become of the shard.
          if (error instanceof StreamError && error.kind === 'no-shard') return undefined;
          throw error;
        }
      },
      { concurrency: SHARDS_AT_ONCE },
    );
    const hasRecords = pages.some((one) => one !== undefined && one.page.records.length > 0);
    // Read after the records: whatever was maintained when they were made is in it.
    if (hasRecords || this.graph === undefined) this.graph = await maintained.current();
    let records = 0;
    for (const one of pages) {
      if (one === undefined) continue;
      const { shard, atMs, page } = one;
      for (const record of page.records) this.receiveRecord(shard, record);
      records += page.records.length;
      this.notePage(shard, atMs, page.records.length === 0);
      if (page.isEnd) this.endShard(shard);
    }
    return records;
  }

  private notePage(shard: ObservedShard, atMs: number, isEmpty: boolean): void {
    if (!isEmpty) {
      shard.emptyPages = 0;
      return;
    }
    if (shard.emptyPages === 0) shard.emptySinceMs = atMs;
    shard.emptyPages += 1;
    if (shard.emptyPages < EMPTY_PAGES) return;
    this.horizon.noteEmptyPages(shard.shardId, shard.emptySinceMs);
    shard.emptySinceMs = atMs;
  }

  private endShard(shard: ObservedShard): void {
    shard.isEnded = true;
    this.finished.add(shard.shardId);
    this.horizon.noteEnd(shard.shardId);
    const isFinished = (shardId: string): boolean => this.finished.has(shardId);
    for (const { shardId } of readableShards(this.listed, isFinished)) this.followShard(shardId);
  }

  private receiveRecord(shard: ObservedShard, record: StreamRecord): void {
    const { source, table, now } = this.context;
    const { dynamodb } = record;
    const items = changedItems(table, record);
    const number: unknown = dynamodb?.SequenceNumber;
    if (items.length === 0 || !isSequenceNumber(number)) return;
    const after = shard.last;
    shard.last = number;
    const made = dynamodb?.ApproximateCreationDateTime;
    const stampMs = made instanceof Date ? made.getTime() : typeof made === 'number' ? made * 1000 : now();
    this.horizon.noteRecord(shard.shardId, stampMs);
    if (items[0]!.source === SERVICE_PARTITION) return;
    const label = streamLabel(source.streamArn);
    const context = { graph: this.graph!, streamLabel: label };
    for (const { oldImage, newImage, ...key } of items) {
      const change: SeenChange = {
        ...key,
        sequenceNumber: number,
        position: watermarkOf(label, number),
        ...(oldImage !== undefined && { oldImage }),
        ...(newImage !== undefined && { newImage }),
      };
      this.obligations.receiveRecord(context, { change, shardId: shard.shardId, after, stampMs, receivedMs: now() });
    }
  }

  /** Looks at what is due, and judges what was seen; returns the number of looks. */
  private async lookAndJudge(): Promise<number> {
    const { context, obligations } = this;
    const { now, source, store, ready } = context;
    for (const drift of this.known.splice(0)) obligations.keepDrift(this.graph!, drift, now());
    const lowMarkMs = await context.lowMark();
    const spreads = obligations.beginSpreadQueries(SPREADS_AT_ONCE);
    let looks = 0;
    if (spreads.length > 0 || obligations.isDue(now())) {
      // Ids of generations are never used again. So the model that is ready now is right for older records too: the same id has the same definition.
      const graph = await ready.current();
      const stream = new StreamLabel(streamLabel(source.streamArn));
      const looking: LookContext = { graph, store, stream, now, lowMark: context.lowMark };
      await Promise.all(spreads.map((spread) => this.openPartsOfSpread(looking, spread)));
      looks = await this.lookAtDueParts(looking);
    }
    const through = this.receivedThroughMs;
    if (through === undefined) return looks;
    for (const found of obligations.judgeDifferences(through, now()))
      await this.reportDrift(found.suspect, found.drift!);
    obligations.closeReceivedSpreads(through, lowMarkMs);
    return looks + spreads.length;
  }

  /** Opens the parts that a spread reaches. */
  private async openPartsOfSpread(context: LookContext, spread: OpenSpread): Promise<void> {
    const { obligations } = this;
    let endedMs: number | undefined;
    try {
      for await (const suspects of partsOfSpread(context, spread)) {
        obligations.openNamedParts(this.graph!, spread, suspects, context.now());
      }
      endedMs = context.now();
    } finally {
      obligations.endSpreadQuery(spread, endedMs);
    }
  }

  private async lookAtDueParts(context: LookContext): Promise<number> {
    const { obligations } = this;
    const begun = obligations.beginLook(context.now(), LOOK);
    if (begun.length === 0) return 0;
    let results: Awaited<ReturnType<typeof lookAtSuspects>> = [];
    try {
      results = await lookAtSuspects(
        context,
        begun.map(({ suspect }) => suspect),
      );
    } finally {
      for (const [i, obligation] of begun.entries()) {
        obligations.endLook(context.graph, obligation, results[i], context.now());
      }
    }
    return begun.length;
  }

  private async reportDrift(suspect: Suspect, drift: ObservedDrift): Promise<void> {
    // rule: quarantined-is-given-up
    if (await hasQuarantineEntry(this.context, suspect)) drift.state = 'given-up';
    await this.context.onDrift?.(drift);
  }

  /** Every record made before this time was received; undefined: a shard was not read yet. */
  private get receivedThroughMs(): number | undefined {
    const { skewMs } = this.limits;
    const through = this.horizon.leastThrough();
    // Stamps are whole seconds, of clocks that may differ.
    // rule: received-time-allows-for-clocks
    return through === undefined ? undefined : through.atMs - 2 * skewMs - 1_000;
  }

  private moveVerifiedTime(): void {
    const through = this.horizon.leastThrough();
    const { skewMs } = this.limits;
    // rule: time-stands-in-a-gap
    if (this.gap !== undefined || this.baseMs === undefined) {
      this.heldBy = this.gap?.reason ?? 'No check of the whole table has been made since the observer began.';
      return;
    }
    if (through === undefined) {
      this.heldBy = 'A shard of the stream is not read yet.';
      return;
    }
    let leastMs = through.atMs;
    let heldBy = through.shardId === undefined ? undefined : `shard ${through.shardId}`;
    for (const { touch, of } of this.obligations.touches()) {
      // rule: open-obligations-hold-the-time
      if (touch.stampMs >= leastMs) continue;
      leastMs = touch.stampMs;
      heldBy = 'sortKey' in of ? `${of.source} ${of.sortKey}` : `${of.kind} of ${of.source} ${of.edgeType}`.trim();
    }
    this.heldBy = heldBy;
    if (leastMs === UNKNOWN_MS) return;
    // rule: time-allows-for-clocks
    const verifiedMs = leastMs - 2 * skewMs - 1_000;
    // A time that was verified once stays verified: a restart that reads older records again does not lower it.
    if (this.throughMs === undefined || verifiedMs > this.throughMs) this.throughMs = verifiedMs;
  }
}

/** The stamp of what no record has opened. */
const UNKNOWN_MS = 0;
