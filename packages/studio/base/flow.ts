import { type Item, stringOf } from '../../../src/core/items/attribute-value.ts';
import { isSequenceNumber } from '../../../src/core/items/change-record.ts';
import { parseDerivedKey } from '../../../src/core/items/derived-key.ts';
import { TARGET_ID } from '../../../src/core/items/hashed-key.ts';
import { isServicePartition, SERVICE_PARTITION } from '../../../src/core/items/keys.ts';
import { streamLabel } from '../../../src/core/items/stream-arn.ts';
import type { CompiledModel } from '../../../src/core/model/compiled.ts';
import { changedItem } from '../../../src/stream/changed-items.ts';
import { isTemporaryError } from '../../../src/stream/progress/stream-walk.ts';
import { isFullPage, ShardPages, type StartingPoint } from '../../../src/stream/shard-pages.ts';
import type { Shard, StreamRecord, StreamSource } from '../../../src/stream/source.ts';
import { type SeenChange, SeenChanges } from './seen-changes.ts';

export interface FlowAnswer {
  /** Pass it as `after` in the next question. */
  seen: number;
  hasStream: boolean;
  /** Nodes changed after the given number, and targets of changed edges. Null: too many, or unknown. */
  changed: string[] | null;
  failure: string | null;
}

export interface HeadRecord {
  text: string;
  atMs: number;
}

const HEAD = 'head';
const MOST_SHARDS = 32;
/** The first look reads what was written before, too. */
const PAGES_OF_A_LOOK = 5;
const PAGES_OF_THE_FIRST_LOOK = 20;
/** A page may be empty before the end of a shard. */
const EMPTY_PAGES = 2;
const LISTED_MS = 15_000;
const MOST_HEADS = 500;
const MOST_NAMED = 1_000;

/** Follows the stream only while somebody looks. */
export class Flow {
  readonly changes = new SeenChanges();
  private source: StreamSource | undefined;
  private readonly shards = new Map<string, ShardPages>();
  /** Includes shards read to their end. */
  private readonly followed = new Set<string>();
  private listedAtMs = Number.NEGATIVE_INFINITY;
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
      await this.listShards();
      const shards = [...this.shards];
      const pages = this.isFirstLook ? PAGES_OF_THE_FIRST_LOOK : PAGES_OF_A_LOOK;
      await Promise.all(shards.map(([shardId, shard]) => this.readShard(shardId, shard, pages)));
      if (this.source !== undefined) this.isFirstLook = false;
      this.failure = null;
    } catch (error) {
      if (!isTemporaryError(error)) throw error;
      this.failure = error.message;
    }
  }

  private async listShards(): Promise<void> {
    const nowMs = performance.now();
    if (nowMs - this.listedAtMs < LISTED_MS) return;
    const source = await this.findSource();
    if (source?.streamArn !== this.source?.streamArn) {
      this.shards.clear();
      this.followed.clear();
      this.changes.noteGap();
    }
    this.source = source;
    if (source !== undefined) this.followShards(source, (await source.describe()).shards);
    this.listedAtMs = nowMs;
  }

  private followShards(source: StreamSource, shards: readonly Shard[]): void {
    const parents = new Map(shards.map(({ shardId, parentShardId }) => [shardId, parentShardId]));
    const withChildren = new Set(parents.values());
    for (const shardId of this.shards.keys()) {
      if (parents.has(shardId)) continue;
      this.shards.delete(shardId);
      this.changes.noteGap();
    }
    /** True if a shard follows one that is followed. */
    const goesOn = (shardId: string): boolean => {
      const parent = parents.get(shardId);
      return parent !== undefined && (this.followed.has(parent) || goesOn(parent));
    };
    // A shard with children takes no more records.
    const open = shards.filter(({ shardId }) => !withChildren.has(shardId)).slice(0, MOST_SHARDS);
    for (const { shardId } of new Set([...open, ...shards.filter((shard) => goesOn(shard.shardId))])) {
      if (!this.followed.has(shardId)) this.shards.set(shardId, this.pagesOf(source, shardId, {}));
    }
    for (const shardId of this.shards.keys()) this.followed.add(shardId);
    for (const shardId of this.followed) {
      if (!parents.has(shardId) && !withChildren.has(shardId)) this.followed.delete(shardId);
    }
  }

  private async readShard(shardId: string, shard: ShardPages, pages: number): Promise<void> {
    let empty = 0;
    for (let i = 0; i < pages; i++) {
      const page = await shard.next();
      for (const record of page.records) this.addRecord(record);
      if (page.isEnd) {
        this.shards.delete(shardId);
        this.listedAtMs = Number.NEGATIVE_INFINITY;
        return;
      }
      empty = page.records.length === 0 ? empty + 1 : 0;
      if (empty >= EMPTY_PAGES || (!this.isFirstLook && !isFullPage(page))) return;
    }
    // Too many to show: skip to the newest.
    const source = this.source!;
    const start = { iterator: await source.latest(shardId) };
    this.changes.noteGap();
    this.shards.set(shardId, this.pagesOf(source, shardId, start));
  }

  private pagesOf(source: StreamSource, shardId: string, start: StartingPoint): ShardPages {
    return new ShardPages(source, shardId, start, () => this.changes.noteGap());
  }

  private addRecord(record: StreamRecord): void {
    const made = record.dynamodb?.ApproximateCreationDateTime;
    const atMs = made instanceof Date ? made.getTime() : typeof made === 'number' ? made * 1000 : Date.now();
    const item = changedItem(this.graph.table, record);
    if (item === undefined) return;
    const { source, target, oldImage, newImage } = item;
    if (source === SERVICE_PARTITION) this.addHead(target, newImage, atMs);
    const sequenceNumber = record.dynamodb?.SequenceNumber;
    if (isServicePartition(source) || !isSequenceNumber(sequenceNumber)) return;
    const stream = streamLabel(this.source!.streamArn);
    this.changes.add({ source, target, oldImage, newImage, stream, sequenceNumber, atMs });
  }

  private addHead(target: string, image: Item | undefined, atMs: number): void {
    const text = target === HEAD ? stringOf(image?.['state']) : undefined;
    if (text === undefined) return;
    this.heads.push({ text, atMs });
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
