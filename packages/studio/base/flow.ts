import { isServicePartition } from '../../../src/core/items/keys.ts';
import { streamLabel } from '../../../src/core/items/stream-arn.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { changedItem } from '../../../src/stream/changed-items.ts';
import { isTemporaryError } from '../../../src/stream/progress/stream-walk.ts';
import type { StreamSource } from '../../../src/stream/source.ts';
import { StreamTail, TAIL_LIMITS, type TailRecord } from '../../../src/stream/stream-tail.ts';
import { SeenChanges } from './seen-changes.ts';

/** Maximum pages per shard. The first look also reads earlier records. */
const PAGES_OF_A_LOOK = 5;
const PAGES_OF_THE_FIRST_LOOK = 100;
/** If the last read returned this many records, more are probably waiting. */
const MANY_RECORDS = 500;
const FOUND_MS = 15_000;

/** Reads the stream only when a request needs it. */
export class Flow {
  readonly changes = new SeenChanges();
  private source: StreamSource | undefined;
  private tail: StreamTail | undefined;
  private foundAtMs = Number.NEGATIVE_INFINITY;
  private isFirstLook = true;
  private looking: Promise<void> | undefined;

  constructor(
    private readonly graph: CompiledModel,
    private readonly findSource: () => Promise<StreamSource | undefined>,
  ) {}

  async look(): Promise<void> {
    this.looking ??= this.lookNow().finally(() => {
      this.looking = undefined;
    });
    await this.looking;
  }

  get hasStream(): boolean {
    return this.source !== undefined;
  }

  private async lookNow(): Promise<void> {
    try {
      await this.followSource();
      if (this.tail !== undefined) await this.readOn(this.tail);
    } catch (error) {
      if (!isTemporaryError(error)) throw error;
    }
  }

  private async followSource(): Promise<void> {
    const nowMs = Date.now();
    if (nowMs - this.foundAtMs < FOUND_MS) return;
    const source = await this.findSource();
    if (source?.streamArn !== this.source?.streamArn) {
      this.source = source;
      this.tail = source && this.tailOf(source);
    }
    this.foundAtMs = nowMs;
  }

  private async readOn(tail: StreamTail): Promise<void> {
    await tail.list(false);
    const pages = this.isFirstLook ? PAGES_OF_THE_FIRST_LOOK : PAGES_OF_A_LOOK;
    this.isFirstLook = false;
    let last = 0;
    for (let i = 0; i < pages; i++) {
      const { records, failure } = await tail.readPages();
      for (const record of records) this.addRecord(record);
      if (failure !== undefined) throw failure.error;
      if (tail.isAtEnd) return;
      last = records.length;
    }
    if (last < MANY_RECORDS) return;
    // Too many records to show: skip to the newest.
    this.tail = this.tailOf(this.source!);
    await this.tail.list(true);
  }

  private tailOf(source: StreamSource): StreamTail {
    return new StreamTail({ source, now: Date.now, limits: TAIL_LIMITS, onGap: () => undefined });
  }

  private addRecord({ record, sequenceNumber, madeMs: atMs }: TailRecord): void {
    const item = changedItem(this.graph.table, record);
    if (item === undefined || isServicePartition(item.source)) return;
    this.changes.add({ ...item, stream: streamLabel(this.source!.streamArn), sequenceNumber, atMs });
  }
}
