import { randomUUID } from 'node:crypto';
import type { ChangeRecord } from '../../core/items/change-record.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { Store } from '../../core/store-port.ts';
import { CALLS_AT_ONCE, forEachSettled } from '../../foundation/for-each.ts';
import { type Runtime, type RuntimeOptions, runtimeOf } from '../../foundation/runtime.ts';
import { type Claim, claimOf, claimsItem } from './claims.ts';
import { type ConsumerKind, progressItem, type ShardProgress } from './consumers.ts';

export interface RecorderOptions {
  /** @internal */
  now?: RuntimeOptions['now'];
  graph: CompiledModel;
  store: Pick<Store, 'put' | 'writesBy'>;
  kind: ConsumerKind;
  stream?: string | undefined;
  id?: string | undefined;
  intervalMs?: number | undefined;
  onError?: ((error: unknown) => void) | undefined;
}

type AppliedRecord = Pick<ChangeRecord, 'sequenceNumber' | 'stream' | 'createdAtSeconds'>;

const INTERVAL_MS = 10_000;
const BEAT_INTERVALS = 2;
/** Shards per progress item and claims per claims item, so that each fits into 1 KB and takes one write unit. */
const [SHARDS_A_WRITE, CLAIMS_A_WRITE] = [5, 36];
/** Maximum number of claims kept while writes fail. The sweep reconciles the records of dropped claims. */
const MOST_KEPT = 10_000;

/**
 * Every ten seconds, writes one progress item, and one claims item per 36 claims. A stopping consumer writes everything
 * that is left. A failed write doesn't fail the consumer.
 */
export class ProgressRecorder {
  private readonly id: string;
  private readonly intervalMs: number;
  private readonly now: Runtime['now'];
  private readonly shards = new Map<string, ShardProgress>();
  private readonly unwritten = new Set<number>();
  private claims: Claim[] = [];
  /** The last unwritten claim of each shard, which a worker's next batch extends. */
  private readonly open = new Map<string, Claim>();
  private newestKeyMs = 0;
  private timer: NodeJS.Timeout | undefined;
  private beat: NodeJS.Timeout | undefined;
  private writtenAtMs = Number.NEGATIVE_INFINITY;
  private writing: Promise<void> = Promise.resolve();
  private records = 0;
  private sinceMs: number;
  private told = { records: 0, intervalMs: 0 };
  private inHand = 0;
  private isStopped = false;

  constructor(private readonly options: RecorderOptions) {
    const { id = randomUUID(), intervalMs = INTERVAL_MS } = options;
    this.id = id;
    this.intervalMs = intervalMs;
    this.now = runtimeOf(options).now;
    this.sinceMs = this.now();
  }

  /**
   * Call this after applying the records, never before.
   *
   * @param records the projector's records, oldest first and without a gap.
   * @param shardId absent if unknown.
   */
  noteApplied(records: readonly AppliedRecord[], shardId?: string): void {
    const newest = records.at(-1);
    if (newest === undefined) return;
    const { sequenceNumber, createdAtSeconds: madeAtSeconds } = newest;
    const shard = shardId ?? '';
    this.addClaim(records, shard);
    this.shards.set(shard, { shardId, sequenceNumber, madeAtSeconds });
    this.unwritten.add(this.partOf(shard));
    this.records += records.length;
  }

  async writeIfDue(): Promise<void> {
    if (this.hasNews && this.now() - this.writtenAtMs >= this.intervalMs) await this.write(false);
  }

  /** Writes as soon as a write is due. Not for a Lambda function, which is frozen after its answer. */
  schedule(): void {
    if (this.timer !== undefined || this.isStopped || !this.hasNews) return;
    const waitMs = Math.max(0, this.writtenAtMs + this.intervalMs - this.now());
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.write(false).then(() => this.schedule());
    }, waitMs);
    this.timer.unref();
  }

  /**
   * Reports every 20 seconds that the consumer is alive, because a batch may take minutes, and a consumer that hasn't
   * written for a minute counts as gone.
   */
  async writeWhile<T>(work: () => Promise<T>): Promise<T> {
    this.inHand += 1;
    this.scheduleBeat();
    try {
      return await work();
    } finally {
      this.inHand -= 1;
      if (this.inHand === 0) {
        clearTimeout(this.beat);
        this.beat = undefined;
      }
      // A Lambda function is frozen after its answer, so a running write has to end first.
      await this.writing;
    }
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    clearTimeout(this.beat);
    await this.writing;
    if (this.shards.size > 0 || Number.isFinite(this.writtenAtMs)) await this.write(true);
  }

  private get hasNews(): boolean {
    return this.unwritten.size > 0 || this.claims.length > 0;
  }

  private addClaim(records: readonly AppliedRecord[], shard: string): void {
    // A worker reads the shard with its own iterator, so no record lies between two of its batches.
    const isWhole = this.options.kind === 'worker';
    const [made] = claimOf(records);
    const before = isWhole ? this.open.get(shard) : undefined;
    if (made === undefined) return;
    if (before !== undefined) {
      before.last = made.last;
      before.records += made.records;
    } else if (this.claims.length < MOST_KEPT) {
      const claim = { ...made, ...(isWhole && { isWhole }) };
      this.claims.push(claim);
      this.open.set(shard, claim);
    }
  }

  private scheduleBeat(): void {
    if (this.beat !== undefined) return;
    const periodMs = BEAT_INTERVALS * this.intervalMs;
    // Before the first write, and after a long pause, the period begins with the current work.
    const waitMs = this.now() - this.writtenAtMs < periodMs ? this.writtenAtMs + periodMs - this.now() : periodMs;
    this.beat = setTimeout(() => {
      this.beat = undefined;
      if (this.now() - this.writtenAtMs >= periodMs) void this.write(false);
      if (this.inHand > 0) this.scheduleBeat();
    }, waitMs);
    this.beat.unref();
  }

  private write(isStopped: boolean): Promise<void> {
    this.writtenAtMs = this.now();
    this.writing = this.writing.then(async () => {
      // A consumer whose claims can't be written must not count as gone.
      for (const part of [() => this.writeClaims(), () => this.writeProgress(isStopped)]) {
        try {
          await part();
        } catch (error) {
          this.options.onError?.(error);
        }
      }
    });
    return this.writing;
  }

  private async writeClaims(): Promise<void> {
    const { graph, store } = this.options;
    // A claim that is being written must not be extended.
    this.open.clear();
    const claims = [...this.claims];
    for (let start = 0; start < claims.length; ) {
      const { stream } = claims[start]!;
      const others = claims.findIndex((claim, i) => i > start && claim.stream !== stream);
      const end = Math.min(start + CLAIMS_A_WRITE, others < 0 ? claims.length : others);
      // Each write gets its own key, so that it overwrites no claims.
      this.newestKeyMs = Math.max(this.now(), this.newestKeyMs + 1);
      await store.put(claimsItem(graph.table, this.id, claims.slice(start, end), this.newestKeyMs));
      this.claims.splice(0, end - start);
      start = end;
    }
  }

  private async writeProgress(isStopped: boolean): Promise<void> {
    const { graph, store, kind, stream } = this.options;
    const nowMs = this.now();
    const [next = 0, ...others] = this.unwritten;
    const { id, records } = this;
    // During a batch, the absence of new records says nothing about the consumer's speed.
    const isCounted = records > 0 || this.inHand === 0;
    if (isCounted) this.told = { records, intervalMs: nowMs - this.sinceMs };
    const model = graph.fingerprint;
    const shards = [...this.shards.values()];
    const writePart = async (part: number): Promise<void> => {
      this.unwritten.delete(part);
      try {
        const writes = await store.writesBy?.();
        const own = shards.slice(part * SHARDS_A_WRITE, (part + 1) * SHARDS_A_WRITE);
        const progress = { id, kind, model, stream, seenAtMs: nowMs, isStopped, shards: own, ...this.told, writes };
        await store.put(progressItem(graph.table, progress, part));
      } catch (error) {
        this.unwritten.add(part);
        throw error;
      }
    };
    // A stopped consumer won't write the other parts later.
    await forEachSettled(isStopped ? [next, ...others] : [next], writePart, { concurrency: CALLS_AT_ONCE });
    this.records -= records;
    if (isCounted) this.sinceMs = nowMs;
  }

  /** A shard's part never changes, because the map keeps its order. */
  private partOf(shard: string): number {
    return Math.floor([...this.shards.keys()].indexOf(shard) / SHARDS_A_WRITE);
  }
}
