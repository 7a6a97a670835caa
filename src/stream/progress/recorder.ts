import { randomUUID } from 'node:crypto';
import type { CompiledModel } from '../../core/model/compiled.ts';
import type { Store } from '../../core/store-port.ts';
import { type Runtime, type RuntimeOptions, runtimeOf } from '../../foundation/runtime.ts';
import { type ConsumerKind, progressItem, type ShardProgress } from './record.ts';

export interface RecorderOptions {
  /** @internal */
  now?: RuntimeOptions['now'];
  graph: CompiledModel;
  store: Pick<Store, 'put' | 'writesBy'>;
  kind: ConsumerKind;
  stream?: string | undefined;
  id?: string | undefined;
  /** In milliseconds. Default 10,000. */
  intervalMs?: number | undefined;
  onError?: ((error: unknown) => void) | undefined;
}

export interface AppliedRecords extends ShardProgress {
  records: number;
}

const INTERVAL_MS = 10_000;
const BEAT_INTERVALS = 2;
/** They fit into 1 KB, so that a write takes one unit. */
const SHARDS_A_RECORD = 5;

/**
 * Saves a consumer's progress: at most one write of one unit in ten seconds, for any number of shards. A failed write
 * doesn't fail the consumer.
 */
export class ProgressRecorder {
  private readonly id: string;
  private readonly shards = new Map<string, ShardProgress>();
  private readonly unwritten = new Set<number>();
  private readonly intervalMs: number;
  private readonly now: Runtime['now'];
  private timer: NodeJS.Timeout | undefined;
  private writtenAtMs = Number.NEGATIVE_INFINITY;
  private records = 0;
  private sinceMs: number;
  private told = { records: 0, intervalMs: 0 };
  private inHand = 0;
  private beat: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(private readonly options: RecorderOptions) {
    const { id = randomUUID(), intervalMs = INTERVAL_MS } = options;
    this.id = id;
    this.intervalMs = intervalMs;
    this.now = runtimeOf(options).now;
    this.sinceMs = this.now();
  }

  noteProgress({ records, ...progress }: AppliedRecords): void {
    const shard = progress.shardId ?? '';
    this.shards.set(shard, progress);
    this.unwritten.add(this.partOf(shard));
    this.records += records;
  }

  async writeIfDue(): Promise<void> {
    if (this.unwritten.size > 0 && this.now() - this.writtenAtMs >= this.intervalMs) await this.write(false);
  }

  noteAndSchedule(applied: AppliedRecords): void {
    this.noteProgress(applied);
    this.schedule();
  }

  /**
   * Says every 20 seconds that the consumer is alive: a batch may take minutes, and a consumer that hasn't written for
   * a minute counts as gone.
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
    clearTimeout(this.timer);
    clearTimeout(this.beat);
    await this.writing;
    if (this.shards.size > 0 || Number.isFinite(this.writtenAtMs)) await this.write(true);
  }

  private scheduleBeat(): void {
    if (this.beat !== undefined) return;
    const periodMs = BEAT_INTERVALS * this.intervalMs;
    // Before the first write, and after a long pause, the wait begins with the current work.
    const waitMs = this.now() - this.writtenAtMs < periodMs ? this.writtenAtMs + periodMs - this.now() : periodMs;
    this.beat = setTimeout(() => {
      this.beat = undefined;
      const isDue = this.now() - this.writtenAtMs >= periodMs;
      if (isDue) this.writing = this.writing.then(() => this.write(false));
      if (this.inHand > 0) this.scheduleBeat();
    }, waitMs);
    this.beat.unref();
  }

  private schedule(): void {
    if (this.timer !== undefined || this.unwritten.size === 0) return;
    const waitMs = Math.max(0, this.writtenAtMs + this.intervalMs - this.now());
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.writing = this.write(false).then(() => this.schedule());
    }, waitMs);
    this.timer.unref();
  }

  private async write(isStopped: boolean): Promise<void> {
    const { graph, store, kind, stream, onError } = this.options;
    const nowMs = this.now();
    const [part = 0] = this.unwritten;
    this.unwritten.delete(part);
    const shards = [...this.shards.values()].slice(part * SHARDS_A_RECORD, (part + 1) * SHARDS_A_RECORD);
    const { records, sinceMs } = this;
    // During a batch, the absence of new records says nothing about the speed.
    if (records > 0 || this.inHand === 0) this.told = { records, intervalMs: nowMs - sinceMs };
    const progress = {
      id: this.id,
      kind,
      model: graph.fingerprint,
      stream,
      seenAtMs: nowMs,
      isStopped,
      shards,
      ...this.told,
    };
    this.writtenAtMs = nowMs;
    try {
      const writes = await store.writesBy?.();
      await store.put(progressItem(graph.table, { ...progress, writes }, part));
      this.records -= records;
      if (records > 0 || this.inHand === 0) this.sinceMs = nowMs;
    } catch (error) {
      this.unwritten.add(part);
      onError?.(error);
    }
  }

  /** The map keeps its shards' order, so each shard keeps its part. */
  private partOf(shard: string): number {
    return Math.floor([...this.shards.keys()].indexOf(shard) / SHARDS_A_RECORD);
  }
}
