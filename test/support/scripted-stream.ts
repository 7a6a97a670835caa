import type { Item } from '../../src/core/items/attribute-value.ts';
import type { Store } from '../../src/core/store-port.ts';
import { StoreError } from '../../src/foundation/errors.ts';
import {
  type Shard,
  type StreamDescription,
  StreamError,
  type StreamPage,
  type StreamRecord,
  type StreamSource,
} from '../../src/stream/source.ts';

/** The first sequence number, as long as real ones are. */
const FIRST_SEQUENCE = 100_000_000_000_000_000_000n;

interface ScriptedShard extends Shard {
  records: StreamRecord[];
  /** How many of the oldest records have left the stream. */
  trimmed: number;
  isClosed: boolean;
  /** Whether it is listed, but cannot be read. */
  isLost?: boolean;
}

/**
 * A stream whose shards a test opens, splits, closes and trims at will, which no local engine can be made to do. Its
 * records come from `put` and `remove`, which change the real table as well: projector and store are real.
 */
export class ScriptedStream implements StreamSource {
  readonly streamArn: string;
  status: StreamDescription['status'] = 'ENABLED';
  /** What was asked, in order: `describe`, `open SHARD`, `read SHARD`. */
  readonly calls: string[] = [];
  /** Called before each page is given out. */
  beforeRead: (shardId: string) => Promise<void> = async () => undefined;
  private readonly shards = new Map<string, ScriptedShard>();
  private readonly images = new Map<string, Item>();
  private readonly failures: StoreError[] = [];
  private sequence = FIRST_SEQUENCE;
  private iteratorGeneration = 0;

  /** `label`: what the stream's ARN ends in. */
  constructor(
    private readonly store: Store,
    label = '2026-01-01T00:00:00.000',
  ) {
    this.streamArn = `arn:aws:dynamodb:us-east-1:000000000000:table/scripted/stream/${label}`;
  }

  /** Opens a shard, as a child of another where one is named. */
  open(shardId: string, parentShardId?: string): void {
    this.shards.set(shardId, { shardId, parentShardId, records: [], trimmed: 0, isClosed: false });
  }

  close(shardId: string): void {
    this.shard(shardId).isClosed = true;
  }

  /** The shard leaves the stream. */
  vanish(shardId: string): void {
    this.shards.delete(shardId);
  }

  /** The shard leaves the stream, which goes on listing it. */
  lose(shardId: string): void {
    this.shard(shardId).isLost = true;
  }

  /** The oldest records of a shard, as many of them, leave the stream. */
  trim(shardId: string, count: number): void {
    this.shard(shardId).trimmed += count;
  }

  /** Every iterator given out so far is too old from now on. */
  expireIterators(): void {
    this.iteratorGeneration += 1;
  }

  /** The next reads fail, as throttled ones do. */
  throttle(times: number): void {
    for (let i = 0; i < times; i++) {
      this.failures.push(new StoreError('retryable', 'LimitExceededException', 'Too many reads of the shard.'));
    }
  }

  /** Puts a base item into the table and its record into a shard; gives the record's sequence number. */
  async put(shardId: string, item: Item): Promise<string> {
    await this.store.put(item);
    return this.append(shardId, item, item);
  }

  /** Deletes a base item from the table and puts its record into a shard. */
  async remove(shardId: string, source: string, target: string): Promise<string> {
    await this.store.delete({ source, target });
    return this.append(shardId, { source: { S: source }, target: { S: target } }, undefined);
  }

  /** Puts a record into a shard and leaves the table alone, as for derived items or records that are late. */
  append(shardId: string, { source, target }: Item, newImage: Item | undefined): string {
    const key = JSON.stringify([source, target]);
    const oldImage = this.images.get(key);
    if (newImage === undefined) this.images.delete(key);
    else this.images.set(key, newImage);
    this.sequence += 7n;
    const sequenceNumber = String(this.sequence);
    this.shard(shardId).records.push({
      eventName: newImage === undefined ? 'REMOVE' : oldImage === undefined ? 'INSERT' : 'MODIFY',
      dynamodb: {
        Keys: { source, target },
        OldImage: oldImage,
        NewImage: newImage,
        SequenceNumber: sequenceNumber,
        ApproximateCreationDateTime: new Date(),
        SizeBytes: 100,
      },
    });
    return sequenceNumber;
  }

  /** Puts a record into a shard as it is. */
  appendRaw(shardId: string, record: StreamRecord): void {
    this.shard(shardId).records.push(record);
  }

  /** The records of a shard, which a test may change. */
  recordsOf(shardId: string): StreamRecord[] {
    return this.shard(shardId).records;
  }

  async describe(): Promise<StreamDescription> {
    this.calls.push('describe');
    // Newest first: nothing promises that parents are listed before their children.
    return { status: this.status, shards: [...this.shards.values()].reverse() };
  }

  async isClosed(shardId: string): Promise<boolean> {
    const shard = this.shards.get(shardId);
    if (shard === undefined) throw new StreamError('no-shard', `The stream does not list shard ${shardId}.`);
    return this.status === 'DISABLED' || shard.isClosed;
  }

  async iterator(shardId: string, after: string | undefined): Promise<string> {
    this.calls.push(`open ${shardId}`);
    const { records, trimmed } = this.found(shardId);
    const index = records.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === after) + 1;
    if (after !== undefined && index < trimmed) throw new StreamError('trimmed', 'The records are gone.');
    return JSON.stringify([this.iteratorGeneration, shardId, Math.max(index, trimmed)]);
  }

  async latest(shardId: string): Promise<string> {
    this.calls.push(`open ${shardId} latest`);
    return JSON.stringify([this.iteratorGeneration, shardId, this.found(shardId).records.length]);
  }

  async read(iterator: string, limit: number): Promise<StreamPage> {
    const [generation, shardId, index] = JSON.parse(iterator) as [number, string, number];
    this.calls.push(`read ${shardId}`);
    await this.beforeRead(shardId);
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
    if (generation !== this.iteratorGeneration) throw new StreamError('expired', 'The iterator is too old.');
    const { records, trimmed, isClosed } = this.found(shardId);
    if (index < trimmed) throw new StreamError('trimmed', 'The records are gone.');
    const page = records.slice(index, index + limit);
    const nextIndex = index + page.length;
    const isEnd = isClosed && nextIndex === records.length;
    return { records: page, ...(!isEnd && { next: JSON.stringify([generation, shardId, nextIndex]) }) };
  }

  private found(shardId: string): ScriptedShard {
    const shard = this.shards.get(shardId);
    if (shard === undefined || shard.isLost === true) {
      throw new StreamError('no-shard', `There is no shard ${shardId}.`);
    }
    return shard;
  }

  private shard(shardId: string): ScriptedShard {
    const shard = this.shards.get(shardId);
    if (shard === undefined) throw new TypeError(`the test opened no shard ${shardId}`);
    return shard;
  }
}
