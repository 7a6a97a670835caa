import pMap from 'p-map';
import { withoutLeadingZeros } from '../../core/items/change-record.ts';
import { streamLabel } from '../../core/items/stream-arn.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { isBaseSortKey, isContinuationKey } from '../../core/plan/stream-filter.ts';
import type { ItemKey, Store } from '../../core/store-port.ts';
import { StoreError } from '../../foundation/errors.ts';
import type { Runtime } from '../../foundation/runtime.ts';
import { changedItem } from '../changed-items.ts';
import { parentIdsOf } from '../lineage.ts';
import { EMPTY_PAGES, SHARDS_AT_ONCE, ShardPages } from '../shard-pages.ts';
import {
  isNoShardError,
  madeAtMsOf,
  type StreamDescription,
  StreamError,
  type StreamRecord,
  type StreamSource,
} from '../source.ts';
import { readAppliedPlaces } from './applied-places.ts';
import { appliedCount, type Claim, coverageOf, type Run, readClaims } from './claims.ts';
import { appliedByWorkers, laterNumber, readConsumers } from './consumers.ts';

export interface WalkContext extends Pick<Runtime, 'now'> {
  graph: CompiledModel;
  store: Pick<Store, 'query'>;
  source: StreamSource;
}

export interface OpenChange {
  sequenceNumber: string;
  key: ItemKey;
  madeAtMs: number;
}

export interface WalkedShard {
  shardId: string;
  /** The records from the first unclaimed one on, oldest first. */
  open: readonly OpenChange[];
  /** The unclaimed records as ranges of indexes in `open`. */
  free: readonly Run[];
  isWhole: boolean;
  isClosed: boolean;
  isLost: boolean;
  hasLanes: boolean;
  appliedUpTo: string | undefined;
  readUpToMs: number | undefined;
}

export interface WalkedStream {
  lookedAtMs: number;
  shards: readonly WalkedShard[];
  /** All records from before this time are applied; undefined if the claims don't show it. */
  upToMs: number | undefined;
  /** True if the stream gets no more records. */
  isDisabled: boolean;
  pages: number;
}

export const MOST_PAGES = 50;
const MOST_OPEN = 50_000;
/** Largest expected difference between the clocks of two consumers, or of a consumer and the stream. */
const SKEW_MS = 5 * 60_000;
/** A stream keeps records for a day, even when disabled. The extra hour allows for clock differences. */
export const STREAM_MS = 25 * 3_600_000;
/** How long after newer claims an older one may still appear. */
const LATE_CLAIM_MS = 60_000;

/**
 * Follows how far a stream is applied, without writing anything. The first look reads each shard from its saved place,
 * a worker's position, or its oldest record; later looks continue from there.
 */
export class StreamWalk {
  private readonly shards = new Map<string, ShardWalk>();
  private readonly claims = new Map<string, readonly Claim[]>();
  private newestClaimMs: number | undefined;
  private places: ReadonlyMap<string, string> | undefined;
  private pages = 0;
  private upToMs: number | undefined;
  private looking: Promise<unknown> = Promise.resolve();

  constructor(private readonly context: WalkContext) {}

  look(): Promise<WalkedStream> {
    const looking = this.looking.then(() => this.lookNow());
    this.looking = looking.catch(() => undefined);
    return looking;
  }

  private async lookNow(): Promise<WalkedStream> {
    const { now, source } = this.context;
    const lookedAtMs = now();
    this.pages = 0;
    let description = await source.describe();
    let vanished = await this.readShards(description);
    if (vanished !== undefined || lacksChildren(description, this.shards)) {
      // The first listing lacked the children of a closed shard, or still had a shard that is gone.
      description = await source.describe();
      vanished = await this.readShards(description);
    }
    if (vanished !== undefined) throw vanished;
    await this.readClaims();
    this.applyClaims(lookedAtMs);
    const shards = [...this.shards.values()].map((shard) => shard.walked);
    const isKnown = !lacksChildren(description, this.shards);
    // rule: low-watermark-is-of-the-begin-of-its-look
    const upToMs = appliedUpToMsOf(shards, lookedAtMs);
    // The children of a closed shard may have records from before this look, so the time doesn't advance until they are
    // listed.
    this.upToMs = isKnown || upToMs === undefined ? upToMs : this.upToMs && Math.min(this.upToMs, upToMs);
    return {
      lookedAtMs,
      shards,
      upToMs: this.upToMs,
      isDisabled: description.status === 'DISABLED',
      pages: this.pages,
    };
  }

  private async readShards({ shards }: StreamDescription): Promise<StreamError | undefined> {
    const listed = new Set(shards.map(({ shardId }) => shardId));
    for (const shardId of this.shards.keys()) if (!listed.has(shardId)) this.shards.delete(shardId);
    if (shards.some(({ shardId }) => !this.shards.has(shardId))) {
      this.places ??= await readPlaces(this.context);
    }
    for (const { shardId } of shards) {
      if (!this.shards.has(shardId)) {
        this.shards.set(shardId, new ShardWalk(this.context, shardId, this.places?.get(shardId)));
      }
    }
    let vanished: StreamError | undefined;
    const readOn = async (shard: ShardWalk): Promise<void> => {
      try {
        // Awaited before `+=`, which would otherwise lose pages that other shards add.
        const pages = await shard.readOn();
        this.pages += pages;
      } catch (error) {
        if (!isNoShardError(error)) throw error;
        vanished ??= error;
      }
    };
    await pMap(this.shards.values(), readOn, { concurrency: SHARDS_AT_ONCE });
    return vanished;
  }

  private async readClaims(): Promise<void> {
    const { store, graph, source } = this.context;
    const known = this.newestClaimMs;
    const since = [...this.shards.values()].flatMap((shard) => {
      const oldest = shard.oldestOpenMs;
      if (oldest === undefined) return [];
      return [shard.hasClaims && known !== undefined ? known - LATE_CLAIM_MS : oldest - SKEW_MS];
    });
    if (since.length === 0) return;
    const label = streamLabel(source.streamArn);
    for (const [key, claims] of await readClaims(store, graph.table, label, Math.min(...since))) {
      this.claims.set(key, claims);
      this.newestClaimMs = Math.max(this.newestClaimMs ?? 0, claimedAtMs(key));
    }
    for (const shard of this.shards.values()) if (shard.oldestOpenMs !== undefined) shard.hasClaims = true;
  }

  private applyClaims(lookedAtMs: number): void {
    const byLast = new Map<string, Claim[]>();
    for (const claim of [...this.claims.values()].flat()) {
      const others = byLast.get(claim.last);
      if (others === undefined) byLast.set(claim.last, [claim]);
      else others.push(claim);
    }
    // rule: record-that-has-left-the-stream-holds-nothing-back
    for (const shard of this.shards.values()) shard.dropOldRecords(lookedAtMs - STREAM_MS);
    for (const shard of this.shards.values()) shard.dropClaimedRecords(byLast);
    if ([...this.shards.values()].some(({ walked }) => !walked.isWhole)) return;
    // A tail may lag behind the consumers, so claims may be of records that it hasn't read yet.
    // rule: claim-is-kept-until-its-records-are-read
    const newestMs = Math.min(lookedAtMs, this.newestClaimMs ?? 0);
    const open = new Set([...this.shards.values()].flatMap((shard) => shard.openNumbers));
    for (const [key, claims] of this.claims) {
      if (claimedAtMs(key) < newestMs - SKEW_MS && !claims.some(({ last }) => open.has(last))) this.claims.delete(key);
    }
  }
}

async function readPlaces({ store, graph: { table }, source, now }: WalkContext): Promise<Map<string, string>> {
  const stream = streamLabel(source.streamArn);
  const places = appliedByWorkers(await readConsumers(store, table, now()), stream);
  for (const [shardId, { sequenceNumber }] of await readAppliedPlaces(store, table, stream)) {
    places.set(shardId, laterNumber(sequenceNumber, places.get(shardId)));
  }
  return places;
}

function claimedAtMs(key: string): number {
  return Number(key.split('/')[1]);
}

class ShardWalk {
  hasClaims = false;
  private readonly reader: ShardPages;
  private open: OpenChange[] = [];
  private free: readonly Run[] = [];
  private isWhole = false;
  private isClosed = false;
  private isLost = false;
  private hasLanes = false;
  private appliedUpTo: string | undefined;
  private readUpToMs: number | undefined;

  constructor(
    private readonly context: WalkContext,
    private readonly shardId: string,
    after: string | undefined,
  ) {
    this.appliedUpTo = after;
    this.reader = new ShardPages(context.source, shardId, { after }, () => {
      this.open = [];
      this.appliedUpTo = undefined;
    });
  }

  get walked(): WalkedShard {
    const { shardId, open, free, isWhole, isClosed, isLost, hasLanes, appliedUpTo, readUpToMs } = this;
    return { shardId, open, free, isWhole, isClosed, isLost, hasLanes, appliedUpTo, readUpToMs };
  }

  get oldestOpenMs(): number | undefined {
    return this.open.length === 0 ? undefined : Math.min(...this.open.slice(0, 1_000).map(({ madeAtMs }) => madeAtMs));
  }

  get openNumbers(): string[] {
    return this.open.map(({ sequenceNumber }) => withoutLeadingZeros(sequenceNumber));
  }

  async readOn(): Promise<number> {
    if (this.isClosed) return 0;
    this.isWhole = false;
    let empty = 0;
    let pages = 0;
    while (pages < MOST_PAGES && this.open.length < MOST_OPEN) {
      pages += 1;
      const { records, isEnd, isLost = false } = await this.reader.next();
      for (const record of records) this.addRecord(record);
      empty = records.length === 0 ? empty + 1 : 0;
      this.isClosed = isEnd;
      this.isLost = isLost;
      this.isWhole = this.isClosed || empty >= EMPTY_PAGES;
      if (this.isWhole) break;
    }
    return pages;
  }

  dropOldRecords(madeBeforeMs: number): void {
    const kept = this.open.findIndex(({ madeAtMs }) => madeAtMs >= madeBeforeMs);
    const left = this.open.splice(0, kept < 0 ? this.open.length : kept);
    this.appliedUpTo = left.at(-1)?.sequenceNumber ?? this.appliedUpTo;
  }

  dropClaimedRecords(byLast: ReadonlyMap<string, readonly Claim[]>): void {
    const claims = this.open.flatMap(({ sequenceNumber }) => byLast.get(withoutLeadingZeros(sequenceNumber)) ?? []);
    const coverage = coverageOf(this.open, claims);
    const done = this.open.splice(0, appliedCount(coverage, this.open));
    this.hasLanes = coverage.hasLanes;
    this.free = coverage.free.map(({ start, end }) => ({ start: start - done.length, end: end - done.length }));
    // rule: saved-place-passes-only-what-is-applied
    this.appliedUpTo =
      this.open.length === 0 ? this.reader.lastRead : (done.at(-1)?.sequenceNumber ?? this.appliedUpTo);
  }

  private addRecord(record: StreamRecord): void {
    const { dynamodb } = record;
    const madeAtMs = madeAtMsOf(record) ?? this.context.now();
    this.readUpToMs = Math.max(this.readUpToMs ?? 0, madeAtMs);
    const key = keyToApply(this.context.graph, record);
    const sequenceNumber = dynamodb?.SequenceNumber;
    if (key !== undefined && sequenceNumber !== undefined) this.open.push({ sequenceNumber, key, madeAtMs });
  }
}

function keyToApply({ table }: CompiledModel, record: StreamRecord): ItemKey | undefined {
  const item = changedItem(table, record);
  if (item === undefined || !(isBaseSortKey(item.target) || isContinuationKey(item.target))) return undefined;
  return { source: item.source, target: item.target };
}

/** A disabled stream gets no new shards. */
function lacksChildren({ status, shards }: StreamDescription, walks: ReadonlyMap<string, ShardWalk>): boolean {
  if (status === 'DISABLED') return false;
  const parents = parentIdsOf(shards);
  return shards.some(({ shardId }) => walks.get(shardId)?.walked.isClosed === true && !parents.has(shardId));
}

function appliedUpToMsOf(shards: readonly WalkedShard[], lookedAtMs: number): number | undefined {
  if (shards.some(({ hasLanes }) => hasLanes)) return undefined;
  let upToMs = lookedAtMs;
  for (const { open, isWhole, readUpToMs } of shards) {
    for (const { madeAtMs } of open) upToMs = Math.min(upToMs, madeAtMs);
    // Unread records were made later than those already read.
    if (!isWhole) upToMs = Math.min(upToMs, readUpToMs ?? 0);
  }
  return upToMs;
}

/** Tells whether a later look may succeed: after throttling, or if a shard was trimmed or ended between two calls. */
export function isTemporaryError(error: unknown): error is StreamError | StoreError {
  return error instanceof StreamError || (error instanceof StoreError && error.kind === 'retryable');
}
