import pMap from 'p-map';
import { StoreError } from '../errors.ts';
import { stringOf } from '../items/attribute-value.ts';
import { streamLabel } from '../items/watermark.ts';
import type { CompiledModel } from '../model/compiled.ts';
import type { ItemKey, Store } from '../store/port.ts';
import { isBaseSortKey, isContinuationKey } from '../stream/filter.ts';
import { ShardPages } from '../stream/shard-pages.ts';
import { type StreamDescription, StreamError, type StreamRecord, type StreamSource } from '../stream/source.ts';
import { appliedCount, type Claim, coverageOf, plainNumber, type Run } from './claims.ts';
import { readClaims } from './claims-item.ts';
import { type Mark, readMarks } from './marks.ts';

/** What walking a stream needs. */
export interface WalkContext {
  graph: CompiledModel;
  /** The table. */
  store: Pick<Store, 'query'>;
  source: StreamSource;
  /** Clock in milliseconds since 1970. */
  now: () => number;
}

/** A record that the projector has to apply, and that no claim is known to hold. */
export interface OpenChange {
  sequenceNumber: string;
  key: ItemKey;
  madeAtMs: number;
}

/** How far one shard is applied, as a walk has seen it. */
export interface WalkedShard {
  shardId: string;
  /** Records from the first that no claim holds, oldest first. */
  open: readonly OpenChange[];
  /** Those of `open` that no claim holds, by their places there. */
  free: readonly Run[];
  /** Whether the shard was read to its end. */
  isWhole: boolean;
  /** Whether nothing more can come into it. */
  isClosed: boolean;
  /** Whether more than one batch of it is applied at a time: then claims cannot tell how far it is applied. */
  hasLanes: boolean;
  /** The last record before which all is applied; undefined where there is none yet. */
  appliedUpTo: string | undefined;
  /** When the last record was made that was read; undefined: none was. */
  readUpToMs: number | undefined;
}

/** How far a stream is applied. */
export interface WalkedStream {
  /** When the look began, in milliseconds since 1970. */
  lookedAtMs: number;
  shards: readonly WalkedShard[];
  /**
   * Every record made before this moment is applied, in milliseconds since 1970: each is held by a claim. Undefined where claims
   * cannot tell it.
   */
  upToMs: number | undefined;
}

/** Pages of a shard that are read at most in one look: 50,000 records. */
export const MOST_PAGES = 50;
/** Empty pages in a row that are taken for the end of a shard: a page may be empty before it. */
export const EMPTY_PAGES = 2;
/** Records that are kept of a shard: one with more of them is read on once some of them are applied. */
const MOST_OPEN = 50_000;
/** Shards that are read at once. */
export const SHARDS_AT_ONCE = 32;
/** How far the clocks of two consumers, or of a consumer and the stream, may be apart, in milliseconds. */
const SKEW_MS = 5 * 60_000;
/** How far a claim may be seen later than others with later times, in milliseconds. */
const LATE_CLAIM_MS = 60_000;

/**
 * Follows how far a stream is applied. The first look reads each shard on from its saved mark, or from its oldest record; later
 * looks go on from there, so that a look costs what is new. Nothing is written.
 */
export class StreamWalk {
  private readonly shards = new Map<string, ShardWalk>();
  private readonly claims = new Map<string, readonly Claim[]>();
  /** The latest time of a claim that was read, by the clock of whoever wrote it. */
  private newestClaimMs: number | undefined;
  private marks: ReadonlyMap<string, Mark> | undefined;
  private upToMs: number | undefined;
  private looking: Promise<unknown> = Promise.resolve();

  constructor(private readonly context: WalkContext) {}

  /** Looks now, once the look before has ended. */
  look(): Promise<WalkedStream> {
    const looking = this.looking.then(() => this.lookNow());
    this.looking = looking.catch(() => undefined);
    return looking;
  }

  private async lookNow(): Promise<WalkedStream> {
    const { now, source } = this.context;
    const lookedAtMs = now();
    let description = await source.describe();
    await this.read(description);
    if (lacksChildren(description, this.shards)) {
      // A closed shard goes on in children that the listing did not have yet.
      description = await source.describe();
      await this.read(description);
    }
    await this.readClaims();
    this.cover();
    const shards = [...this.shards.values()].map((shard) => shard.walked);
    const isKnown = !lacksChildren(description, this.shards);
    const upToMs = upToMsOf(shards, lookedAtMs);
    // A closed shard goes on in children that hold records of before this look.
    this.upToMs = isKnown || upToMs === undefined ? upToMs : this.upToMs && Math.min(this.upToMs, upToMs);
    return { lookedAtMs, shards, upToMs: this.upToMs };
  }

  private async read({ shards }: StreamDescription): Promise<void> {
    const listed = new Set(shards.map(({ shardId }) => shardId));
    for (const shardId of this.shards.keys()) if (!listed.has(shardId)) this.shards.delete(shardId);
    if (shards.some(({ shardId }) => !this.shards.has(shardId))) {
      const { store, graph, source } = this.context;
      this.marks ??= await readMarks(store, graph.table, streamLabel(source.streamArn));
    }
    for (const { shardId } of shards) {
      if (!this.shards.has(shardId)) {
        this.shards.set(shardId, new ShardWalk(this.context, shardId, this.marks?.get(shardId)));
      }
    }
    await pMap(this.shards.values(), (shard) => shard.readOn(), { concurrency: SHARDS_AT_ONCE });
  }

  /** Claims of what is open: all that were written since those of the last look, and for new shards since their first record. */
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

  private cover(): void {
    const byLast = new Map<string, Claim[]>();
    for (const claim of [...this.claims.values()].flat()) {
      const others = byLast.get(claim.last);
      if (others === undefined) byLast.set(claim.last, [claim]);
      else others.push(claim);
    }
    for (const shard of this.shards.values()) shard.cover(byLast);
    if ([...this.shards.values()].some(({ walked }) => !walked.isWhole)) return;
    // What claims records that are no longer open, and that will not show any more, is of no further use.
    const open = new Set([...this.shards.values()].flatMap((shard) => shard.openNumbers));
    for (const [key, claims] of this.claims) {
      if (claimedAtMs(key) < (this.newestClaimMs ?? 0) - SKEW_MS && !claims.some(({ last }) => open.has(last))) {
        this.claims.delete(key);
      }
    }
  }
}

/** When claims were written, as the key of their item says: `cover/<ms>/<id>`. */
function claimedAtMs(key: string): number {
  return Number(key.split('/')[1]);
}

/** One shard of a walk. */
class ShardWalk {
  /** Whether claims were read back to its oldest open record. */
  hasClaims = false;
  private readonly reader: ShardPages;
  private open: OpenChange[] = [];
  private free: readonly Run[] = [];
  private isWhole = false;
  private isClosed = false;
  private hasLanes = false;
  private appliedUpTo: string | undefined;
  private readUpToMs: number | undefined;

  constructor(
    private readonly context: WalkContext,
    private readonly shardId: string,
    mark: Mark | undefined,
  ) {
    this.appliedUpTo = mark?.sequenceNumber;
    this.reader = new ShardPages(context.source, shardId, { after: mark?.sequenceNumber }, () => {
      // What was not applied of it will come from nowhere.
      this.open = [];
      this.appliedUpTo = undefined;
    });
  }

  get walked(): WalkedShard {
    const { shardId, open, free, isWhole, isClosed, hasLanes, appliedUpTo, readUpToMs } = this;
    return { shardId, open, free, isWhole, isClosed, hasLanes, appliedUpTo, readUpToMs };
  }

  get oldestOpenMs(): number | undefined {
    return this.open.length === 0 ? undefined : Math.min(...this.open.slice(0, 1_000).map(({ madeAtMs }) => madeAtMs));
  }

  get openNumbers(): string[] {
    return this.open.map(({ sequenceNumber }) => plainNumber(sequenceNumber));
  }

  /** Reads what has come since the last look. */
  async readOn(): Promise<void> {
    if (this.isClosed) return;
    this.isWhole = false;
    let empty = 0;
    for (let page = 0; page < MOST_PAGES && this.open.length < MOST_OPEN; page++) {
      const { records, isEnd } = await this.reader.next();
      for (const record of records) this.take(record);
      empty = records.length === 0 ? empty + 1 : 0;
      this.isClosed = isEnd;
      this.isWhole = this.isClosed || empty >= EMPTY_PAGES;
      if (this.isWhole) return;
    }
  }

  /** Takes away what claims hold, from the oldest record on. */
  cover(byLast: ReadonlyMap<string, readonly Claim[]>): void {
    const claims = this.open.flatMap(({ sequenceNumber }) => byLast.get(plainNumber(sequenceNumber)) ?? []);
    const coverage = coverageOf(this.open, claims);
    const done = this.open.splice(0, appliedCount(coverage, this.open));
    this.hasLanes = coverage.hasLanes;
    this.free = coverage.free.map(({ start, end }) => ({ start: start - done.length, end: end - done.length }));
    this.appliedUpTo =
      this.open.length === 0 ? this.reader.lastRead : (done.at(-1)?.sequenceNumber ?? this.appliedUpTo);
  }

  private take(record: StreamRecord): void {
    const { dynamodb } = record;
    const made = dynamodb?.ApproximateCreationDateTime;
    const madeAtMs =
      made instanceof Date ? made.getTime() : typeof made === 'number' ? made * 1000 : this.context.now();
    this.readUpToMs = Math.max(this.readUpToMs ?? 0, madeAtMs);
    const key = concerning(this.context.graph, record);
    const sequenceNumber = dynamodb?.SequenceNumber;
    if (key !== undefined && sequenceNumber !== undefined) this.open.push({ sequenceNumber, key, madeAtMs });
  }
}

/** The key of a record that the projector has to apply; undefined for all others. */
function concerning({ table }: CompiledModel, { dynamodb }: StreamRecord): ItemKey | undefined {
  const source = stringOf(dynamodb?.Keys?.[table.partitionKey]);
  const target = stringOf(dynamodb?.Keys?.[table.sortKey]);
  if (source === undefined || target === undefined) return undefined;
  return isBaseSortKey(target) || isContinuationKey(target) ? { source, target } : undefined;
}

/** Whether a shard is closed and the listing does not have what it goes on in; nothing follows where the stream has ended. */
function lacksChildren({ status, shards }: StreamDescription, walks: ReadonlyMap<string, ShardWalk>): boolean {
  if (status === 'DISABLED') return false;
  const parents = new Set(shards.map(({ parentShardId }) => parentShardId));
  return shards.some(({ shardId }) => walks.get(shardId)?.walked.isClosed === true && !parents.has(shardId));
}

function upToMsOf(shards: readonly WalkedShard[], lookedAtMs: number): number | undefined {
  if (shards.some(({ hasLanes }) => hasLanes)) return undefined;
  let upToMs = lookedAtMs;
  for (const { open, isWhole, readUpToMs } of shards) {
    for (const { madeAtMs } of open) upToMs = Math.min(upToMs, madeAtMs);
    // What was not read yet was made later than what was.
    if (!isWhole) upToMs = Math.min(upToMs, readUpToMs ?? 0);
  }
  return upToMs;
}

/** Whether what made a look fail may pass by itself: throttling, or a shard that was trimmed or ended between two calls. */
export function isOfMoment(error: unknown): boolean {
  return error instanceof StreamError || (error instanceof StoreError && error.kind === 'retryable');
}
