import { randomUUID } from 'node:crypto';
import type { CompiledModel } from '../model/compiled.ts';
import type { Store } from '../store/port.ts';
import { type ConsumerKind, progressItem, type ShardProgress } from './record.ts';

/** Options of a recorder of progress. */
export interface RecorderOptions {
  graph: CompiledModel;
  /** The table. */
  store: Pick<Store, 'put'>;
  kind: ConsumerKind;
  /** Names the consumer. Default: a random id. */
  id?: string | undefined;
  /** Milliseconds between two writes. Default 10,000. */
  intervalMs?: number | undefined;
  /** Clock in milliseconds since 1970. Default: the machine's. */
  now?: (() => number) | undefined;
  /** Called when a record of progress could not be written: it is tried again with the next one. */
  onError?: ((error: unknown) => void) | undefined;
}

/** What a consumer has just applied, or passed. */
export interface AppliedRecords extends ShardProgress {
  /** Base items' records among them. */
  records: number;
}

const INTERVAL_MS = 10_000;
/** Intervals without a write after which a consumer that is at work says that it still is. */
const BEAT_INTERVALS = 2;
/** Shards of one progress record: so many fit into 1 KB, so that a write takes one unit. */
const SHARDS_A_RECORD = 5;

/**
 * Leaves a consumer's progress in the table: at most one write of one unit in ten seconds, however many shards it reads. A
 * failed write is no failure of the consumer.
 */
export class ProgressRecorder {
  private readonly id: string;
  private readonly shards = new Map<string, ShardProgress>();
  /** Parts with progress that is not written, those that wait longest first. */
  private readonly unwritten = new Set<number>();
  private readonly intervalMs: number;
  private readonly now: () => number;
  private timer: NodeJS.Timeout | undefined;
  private writtenAtMs = Number.NEGATIVE_INFINITY;
  private records = 0;
  private sinceMs: number;
  /** What the last write told of the consumer's speed. */
  private told = { records: 0, intervalMs: 0 };
  /** How many pieces of work are in hand. */
  private inHand = 0;
  private beat: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(private readonly options: RecorderOptions) {
    const { id = randomUUID(), intervalMs = INTERVAL_MS, now = Date.now } = options;
    this.id = id;
    this.intervalMs = intervalMs;
    this.now = now;
    this.sinceMs = now();
  }

  /** Notes what was applied; nothing is written yet. */
  note({ records, ...progress }: AppliedRecords): void {
    const shard = progress.shardId ?? '';
    this.shards.set(shard, progress);
    this.unwritten.add(this.partOf(shard));
    this.records += records;
  }

  /** Writes progress now if something is new and the last write is long enough ago. */
  async writeIfDue(): Promise<void> {
    if (this.unwritten.size > 0 && this.now() - this.writtenAtMs >= this.intervalMs) await this.write(false);
  }

  /** Notes what was applied, and writes it when the next write is due. */
  noteAndSchedule(applied: AppliedRecords): void {
    this.note(applied);
    this.schedule();
  }

  /**
   * Does some work, and says every 20 seconds meanwhile that the consumer is there: a batch that takes minutes moves no place of its
   * shard, and a consumer that has not been seen for a minute counts as gone.
   */
  async during<T>(work: () => Promise<T>): Promise<T> {
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
      // A function is frozen once it has answered: what is being written has to be through before.
      await this.writing;
    }
  }

  /** Writes what is left, once, and ends the recording. */
  async stop(): Promise<void> {
    clearTimeout(this.timer);
    clearTimeout(this.beat);
    await this.writing;
    if (this.shards.size > 0 || Number.isFinite(this.writtenAtMs)) await this.write(true);
  }

  private scheduleBeat(): void {
    if (this.beat !== undefined) return;
    const periodMs = BEAT_INTERVALS * this.intervalMs;
    // Before the first write, and after a long rest, the work that begins now is what is waited for.
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
    const { graph, store, kind, onError } = this.options;
    const nowMs = this.now();
    const [part = 0] = this.unwritten;
    this.unwritten.delete(part);
    const shards = [...this.shards.values()].slice(part * SHARDS_A_RECORD, (part + 1) * SHARDS_A_RECORD);
    const { records, sinceMs } = this;
    // Without new records the speed is what it was: the batch in hand has not come to its end.
    if (records > 0 || this.inHand === 0) this.told = { records, intervalMs: nowMs - sinceMs };
    const progress = {
      ...{ id: this.id, kind, model: graph.fingerprint, seenAtMs: nowMs, isStopped, shards },
      ...this.told,
    };
    this.writtenAtMs = nowMs;
    try {
      await store.put(progressItem(graph.table, progress, part));
      // More may have been noted while this was written.
      this.records -= records;
      if (records > 0 || this.inHand === 0) this.sinceMs = nowMs;
    } catch (error) {
      this.unwritten.add(part);
      onError?.(error);
    }
  }

  /** Shards keep their order in the map, so each keeps its part. */
  private partOf(shard: string): number {
    return Math.floor([...this.shards.keys()].indexOf(shard) / SHARDS_A_RECORD);
  }
}
