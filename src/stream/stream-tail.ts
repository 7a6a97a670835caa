import pMap from 'p-map';
import { isSequenceNumber } from '../core/items/change-record.ts';
import type { Runtime } from '../foundation/runtime.ts';
import { Horizon } from './horizon.ts';
import { parentIdsOf, readableShards } from './lineage.ts';
import { EMPTY_PAGES, SHARDS_AT_ONCE, ShardPages } from './shard-pages.ts';
import {
  isNoShardError,
  madeAtMsOf,
  type Shard,
  type StreamDescription,
  type StreamRecord,
  type StreamSource,
} from './source.ts';

/** Timing for following a stream, in milliseconds. */
export interface TailLimits {
  /** The longest delay until a record can be read. */
  lateMs: number;
  /** The interval between listings of shards. */
  listMs: number;
  /** How long the stream keeps a record, minus a margin. */
  retentionMs: number;
}

export const TAIL_LIMITS: TailLimits = { lateMs: 10_000, listMs: 10_000, retentionMs: 23 * 3_600_000 };

export interface TailContext extends Pick<Runtime, 'now'> {
  source: StreamSource;
  limits: TailLimits;
  onGap: (reason: string) => void;
  listener?: TailListener | undefined;
}

export type TailStart = 'oldest' | 'end' | { after: string };

export interface TailListener {
  /** `atMs` is the time by the tail's clock before the listing. */
  listed(description: StreamDescription, atMs: number): void;
  /** From here on, every record of the shard is passed to `received`. */
  followed(shardId: string, from: TailStart): void;
  received(record: TailRecord): void;
  /** `atMs` is the time by the tail's clock before the first of the empty pages that show the end. */
  reachedEnd(shardId: string, atMs: number): void;
  ended(shardId: string): void;
  trimmed(shardId: string): void;
}

export interface TailPosition {
  shardId: string;
  after?: string | undefined;
  isFinished: boolean;
  /** All records of the shard from before this time, in milliseconds since 1970, have been read. */
  sinceMs?: number | undefined;
}

export interface TailRecord {
  shardId: string;
  record: StreamRecord;
  sequenceNumber: string;
  after: string | undefined;
  /**
   * When the record was made (or read, if it has no time), in milliseconds since 1970. Streams only give whole seconds.
   */
  madeMs: number;
}

export interface TailPages {
  records: TailRecord[];
  failure: { error: unknown } | undefined;
}

interface TailShard {
  readonly shardId: string;
  readonly pages: ShardPages;
  last: string | undefined;
  isEnded: boolean;
  emptyPages: number;
  emptySinceMs: number;
}

/**
 * Reads all shards of a stream, a page of each at a time, and parents before children. A shard without a saved position
 * is read from its oldest record, unless the first `list` begins at the shards' ends.
 */
export class StreamTail {
  readonly horizon: Horizon;
  private readonly shards = new Map<string, TailShard>();
  private readonly finished = new Set<string>();
  private readonly saved = new Map<string, string | undefined>();
  private readonly since = new Map<string, number>();
  private listed: Shard[] = [];
  private listedMs = Number.NEGATIVE_INFINITY;
  private isDisabled = false;

  constructor(private readonly context: TailContext) {
    this.horizon = new Horizon(context.limits.lateMs);
  }

  resume(positions: readonly TailPosition[]): void {
    for (const { shardId, after, isFinished, sinceMs } of positions) {
      if (sinceMs !== undefined) this.since.set(shardId, sinceMs);
      if (isFinished) this.finished.add(shardId);
      else this.saved.set(shardId, after);
    }
  }

  get shardIds(): string[] {
    return this.listed.map(({ shardId }) => shardId);
  }

  get isAtEnd(): boolean {
    return [...this.shards.values()].every(({ isEnded, emptyPages }) => isEnded || emptyPages >= EMPTY_PAGES);
  }

  /** Returns undefined if the shard waits for its parent. */
  positionOf(shardId: string): TailPosition | undefined {
    const sinceMs = this.sinceMsOf(shardId);
    if (this.finished.has(shardId)) return { shardId, isFinished: true, sinceMs };
    const shard = this.shards.get(shardId);
    if (shard === undefined && !this.saved.has(shardId)) return undefined;
    const after = shard === undefined ? this.saved.get(shardId) : shard.last;
    return { shardId, after, isFinished: false, sinceMs };
  }

  /** Returns the time before which all records of the shard have been read, even for a shard that isn't listed. */
  sinceMsOf(shardId: string): number | undefined {
    return this.horizon.throughMsOf(shardId) ?? this.since.get(shardId);
  }

  /** Returns whether this call has started reading at the shards' ends. */
  async list(beginsAtEnds: boolean): Promise<boolean> {
    const { source, now, limits } = this.context;
    const atMs = now();
    const isLacking = ({ shardId }: Shard): boolean => this.finished.has(shardId) && !this.hasChild(shardId);
    const hasEnded = !this.isDisabled && this.listed.some(isLacking);
    if (atMs - this.listedMs < limits.listMs && !hasEnded) return false;
    const isFirst = this.listedMs === Number.NEGATIVE_INFINITY;
    const description = await source.describe();
    const { shards, status } = description;
    const listed = new Set(shards.map(({ shardId }) => shardId));
    for (const shardId of [...this.shards.keys(), ...this.saved.keys()]) {
      if (listed.has(shardId)) continue;
      // rule: lost-shard-is-a-gap
      if (!this.finished.has(shardId))
        this.context.onGap(`Shard ${shardId} has left the stream before it was read to its end.`);
      this.shards.delete(shardId);
      this.saved.delete(shardId);
    }
    const isBegin = isFirst && beginsAtEnds;
    if (isBegin) await this.beginAtShardEnds(shards);
    this.horizon.listed(shards, atMs, status === 'DISABLED');
    this.context.listener?.listed(description, atMs);
    for (const shardId of this.finished) {
      if (listed.has(shardId)) this.noteEnd(shardId);
      else this.finished.delete(shardId);
    }
    this.isDisabled = status === 'DISABLED';
    this.listed = shards;
    this.listedMs = atMs;
    this.followReadable();
    return isBegin;
  }

  /** If a page can't be read, the next call reads it again. */
  async readPages(): Promise<TailPages> {
    const { now } = this.context;
    const open = [...this.shards.values()].filter(({ isEnded }) => !isEnded);
    let failure: TailPages['failure'];
    const pages = await pMap(
      open,
      async (shard) => {
        const atMs = now();
        try {
          return { shard, atMs, page: await shard.pages.next() };
        } catch (error) {
          if (!isNoShardError(error)) failure ??= { error };
          return undefined;
        }
      },
      { concurrency: SHARDS_AT_ONCE },
    );
    const records: TailRecord[] = [];
    for (const one of pages) {
      if (one === undefined) continue;
      const { shard, atMs, page } = one;
      for (const record of page.records) records.push(...this.receive(shard, record));
      this.notePage(shard, atMs, page.records.length === 0);
      if (page.isEnd) this.endShard(shard);
    }
    return { records, failure };
  }

  private receive(shard: TailShard, record: StreamRecord): TailRecord[] {
    const number: unknown = record.dynamodb?.SequenceNumber;
    if (!isSequenceNumber(number)) return [];
    const after = shard.last;
    shard.last = number;
    const madeMs = madeAtMsOf(record) ?? this.context.now();
    this.horizon.noteRecord(shard.shardId, madeMs);
    const received: TailRecord = { shardId: shard.shardId, record, sequenceNumber: number, after, madeMs };
    this.context.listener?.received(received);
    return [received];
  }

  private async beginAtShardEnds(shards: readonly Shard[]): Promise<void> {
    const parents = parentIdsOf(shards);
    for (const { shardId } of shards) {
      const end = parents.has(shardId) ? undefined : await this.endOf(shardId);
      if (end === undefined) this.finished.add(shardId);
      else this.followShard(shardId, end);
    }
  }

  /** Returns undefined if the shard is closed and has left the stream since it was listed. */
  private async endOf(shardId: string): Promise<string | undefined> {
    const { source } = this.context;
    try {
      return await source.latest(shardId);
    } catch (error) {
      if (isNoShardError(error) && (await source.isClosed(shardId))) return undefined;
      throw error;
    }
  }

  private followReadable(): void {
    // rule: parent-shards-are-read-first
    const readable = readableShards(this.listed, (shardId) => this.finished.has(shardId));
    for (const { shardId } of readable) this.followShard(shardId);
  }

  private followShard(shardId: string, iterator?: string): void {
    if (this.shards.has(shardId)) return;
    const after = this.saved.get(shardId);
    this.saved.delete(shardId);
    if (after === undefined && iterator === undefined) this.beginAtOldest(shardId);
    const start = iterator === undefined ? 'oldest' : 'end';
    this.context.listener?.followed(shardId, after === undefined ? start : { after });
    const pages = new ShardPages(
      this.context.source,
      shardId,
      { after, ...(iterator !== undefined && { iterator }) },
      // rule: trimmed-records-are-a-gap
      (text) => {
        this.context.listener?.trimmed(shardId);
        this.context.onGap(text);
      },
    );
    this.shards.set(shardId, { shardId, pages, last: after, isEnded: false, emptyPages: 0, emptySinceMs: 0 });
  }

  /** Reports a gap unless the shard's first record must still be in the stream. */
  private beginAtOldest(shardId: string): void {
    const { now, limits, onGap } = this.context;
    const parent = this.listed.find((shard) => shard.shardId === shardId)?.parentShardId ?? '';
    const sinceMs = this.since.get(shardId) ?? this.horizon.throughMsOf(shardId) ?? this.since.get(parent);
    if (sinceMs !== undefined) this.since.set(shardId, sinceMs);
    // rule: first-records-that-have-left-are-a-gap
    if (sinceMs === undefined || now() - sinceMs > limits.retentionMs) {
      onGap(`The first records of shard ${shardId} may have left the stream.`);
    }
  }

  private hasChild(shardId: string): boolean {
    return this.listed.some(({ parentShardId }) => parentShardId === shardId);
  }

  private notePage(shard: TailShard, atMs: number, isEmpty: boolean): void {
    if (!isEmpty) {
      shard.emptyPages = 0;
      return;
    }
    if (shard.emptyPages === 0) shard.emptySinceMs = atMs;
    shard.emptyPages += 1;
    if (shard.emptyPages < EMPTY_PAGES) return;
    this.horizon.noteEmptyPages(shard.shardId, shard.emptySinceMs);
    this.context.listener?.reachedEnd(shard.shardId, shard.emptySinceMs);
    shard.emptySinceMs = atMs;
  }

  private endShard(shard: TailShard): void {
    shard.isEnded = true;
    this.finished.add(shard.shardId);
    this.noteEnd(shard.shardId);
    this.followReadable();
  }

  private noteEnd(shardId: string): void {
    this.horizon.noteEnd(shardId);
    this.context.listener?.ended(shardId);
  }
}
