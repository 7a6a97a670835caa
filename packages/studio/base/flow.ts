import { stringOf } from '../../../src/core/items/attribute-value.ts';
import { parseDerivedKey } from '../../../src/core/items/derived-key.ts';
import { TARGET_ID } from '../../../src/core/items/hashed-key.ts';
import { isServicePartition, SERVICE_PARTITION } from '../../../src/core/items/keys.ts';
import { streamLabel } from '../../../src/core/items/stream-arn.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { type ChangedItem, changedItem } from '../../../src/stream/changed-items.ts';
import { isTemporaryError } from '../../../src/stream/progress/stream-walk.ts';
import type { StreamSource } from '../../../src/stream/source.ts';
import { StreamTail, TAIL_LIMITS, type TailRecord } from '../../../src/stream/stream-tail.ts';
import { type SeenChange, SeenChanges } from './seen-changes.ts';

export interface FlowAnswer {
  /** Pass it as `after` in the next question. */
  seen: number;
  hasStream: boolean;
  /** Nodes changed after the given number, and targets of changed edges. Null: too many, or unknown. */
  changed: string[] | null;
  failure: string | null;
}

/** A change of the registry, as texts. */
export interface HeadRecord {
  before: string;
  after: string;
  atMs: number;
}

const HEAD = 'head';
/** Pages of each shard. The first look reads what was written before, too. */
const PAGES_OF_A_LOOK = 5;
const PAGES_OF_THE_FIRST_LOOK = 100;
/** As many records suggest that more are waiting. */
const MANY_RECORDS = 500;
const FOUND_MS = 15_000;
const MOST_HEADS = 200;
const MOST_NAMED = 1_000;

/** Follows the stream only while somebody looks. */
export class Flow {
  readonly changes = new SeenChanges();
  private source: StreamSource | undefined;
  private tail: StreamTail | undefined;
  private foundAtMs = Number.NEGATIVE_INFINITY;
  private isFirstLook = true;
  private readonly heads: HeadRecord[] = [];
  private failure: string | null = null;
  private looking: Promise<void> | undefined;

  constructor(
    private readonly graph: CompiledModel,
    private readonly findSource: () => Promise<StreamSource | undefined>,
  ) {}

  /** Concurrent looks are one. */
  async look(): Promise<void> {
    this.looking ??= this.lookNow().finally(() => {
      this.looking = undefined;
    });
    await this.looking;
  }

  since(after: number): FlowAnswer {
    const newer = this.changes.after(after);
    const named = newer && new Set(newer.flatMap((change) => nodesOf(this.graph, change)));
    return {
      seen: this.changes.count,
      hasStream: this.hasStream,
      changed: named === undefined || named.size > MOST_NAMED ? null : [...named],
      failure: this.failure,
    };
  }

  get hasStream(): boolean {
    return this.source !== undefined;
  }

  get registryHeads(): readonly HeadRecord[] {
    return this.heads;
  }

  private async lookNow(): Promise<void> {
    try {
      await this.followSource();
      if (this.tail !== undefined) await this.readOn(this.tail);
      this.failure = null;
    } catch (error) {
      if (!isTemporaryError(error)) throw error;
      this.failure = error.message;
    }
  }

  private async followSource(): Promise<void> {
    const nowMs = Date.now();
    if (nowMs - this.foundAtMs < FOUND_MS) return;
    const source = await this.findSource();
    if (source?.streamArn !== this.source?.streamArn) {
      this.changes.noteGap();
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
    // Too many to show: skip to the newest.
    this.changes.noteGap();
    this.tail = this.tailOf(this.source!);
    await this.tail.list(true);
  }

  private tailOf(source: StreamSource): StreamTail {
    return new StreamTail({ source, now: Date.now, limits: TAIL_LIMITS, onGap: () => this.changes.noteGap() });
  }

  private addRecord({ record, sequenceNumber, madeMs: atMs }: TailRecord): void {
    const item = changedItem(this.graph.table, record);
    if (item === undefined) return;
    const { source, target, oldImage, newImage } = item;
    if (source === SERVICE_PARTITION) this.addHead(item, atMs);
    if (isServicePartition(source)) return;
    const stream = streamLabel(this.source!.streamArn);
    this.changes.add({ source, target, oldImage, newImage, stream, sequenceNumber, atMs });
  }

  private addHead({ target, oldImage, newImage }: ChangedItem, atMs: number): void {
    const [before, after] = [oldImage, newImage].map((image) => stringOf(image?.['state']));
    if (target !== HEAD || before === undefined || after === undefined) return;
    this.heads.push({ before, after, atMs });
    if (this.heads.length > MOST_HEADS) this.heads.shift();
  }
}

function nodesOf(graph: CompiledModel, { source, target, oldImage, newImage }: SeenChange): string[] {
  const key = parseDerivedKey(target);
  const edge = key === undefined ? target : key.kind === 'index-item' && key.of === 'edge' ? key.edge.text : undefined;
  const type = edge?.slice(0, edge.indexOf('-')) ?? '';
  if (!graph.edges.has(type)) return [source];
  return [source, stringOf((newImage ?? oldImage)?.[TARGET_ID]) ?? edge!.slice(type.length + 1)];
}
