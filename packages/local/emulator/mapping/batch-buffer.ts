import { streamBeganAtSeconds } from '../../../../src/stream/leftovers.ts';
import type { StreamPage } from '../../../../src/stream/source.ts';
import type { RecordFilter } from './filter-pattern.ts';
import { type LambdaRecord, toLambdaRecord } from './lambda-record.ts';

/** A record that waits for its delivery. */
export interface BufferedRecord {
  record: LambdaRecord;
  sequenceNumber: string;
  /** When its change was made, in milliseconds since 1970. */
  createdAtMs: number;
  /** Bytes of it in the event. */
  bytes: number;
}

/** When a batch is full. */
export interface BufferLimits {
  batchSize: number;
  /** Bytes of the event. */
  payloadBytes: number;
  /** Milliseconds that a record may wait for others. */
  windowMs: number;
}

/** `{"Records":[]}`. */
const EMPTY_EVENT_BYTES = 14;

/** The records of one shard that were read and not yet delivered, without those that no filter lets in. */
export class BatchBuffer {
  private waiting: BufferedRecord[] = [];
  /** When the oldest of them was read. */
  private since = 0;
  private readonly beganAtSeconds: number | undefined;

  constructor(
    private readonly streamArn: string,
    private readonly passes: RecordFilter,
    private readonly limits: BufferLimits,
    private readonly now: () => number,
  ) {
    this.beganAtSeconds = streamBeganAtSeconds(streamArn);
  }

  /** True if nothing waits. */
  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }

  /** Milliseconds until what waits is due; infinite where nothing does. */
  get dueInMs(): number {
    return this.isEmpty ? Number.POSITIVE_INFINITY : Math.max(0, this.since + this.limits.windowMs - this.now());
  }

  /** Adds the records of a page that pass a filter; returns the number of the others. */
  add({ records }: StreamPage): number {
    if (this.isEmpty) this.since = this.now();
    let filtered = 0;
    for (const raw of records) {
      const record = toLambdaRecord(raw, this.streamArn);
      if (this.isLeftover(record) || !this.passes(record)) {
        filtered += 1;
        continue;
      }
      const created = Number(record.dynamodb?.ApproximateCreationDateTime ?? Number.NaN) * 1000;
      this.waiting.push({
        record,
        sequenceNumber: record.dynamodb?.SequenceNumber ?? '',
        createdAtMs: Number.isNaN(created) ? this.now() : created,
        bytes: Buffer.byteLength(JSON.stringify(record)) + 1,
      });
    }
    return filtered;
  }

  /**
   * Takes out the next batch; undefined where there is none. A full one is always taken; another only when its window is
   * over (`due`), or because nothing follows (`all`).
   */
  takeBatch(which: 'full' | 'due' | 'all'): BufferedRecord[] | undefined {
    const { batchSize, payloadBytes } = this.limits;
    let bytes = EMPTY_EVENT_BYTES;
    let count = 0;
    for (const record of this.waiting) {
      bytes += record.bytes;
      // A record always goes, however big it is: DynamoDB's own limits keep it below a payload.
      if (count === batchSize || (count > 0 && bytes > payloadBytes)) break;
      count += 1;
    }
    const isFull = count === batchSize || count < this.waiting.length;
    const isTaken = isFull || which === 'all' || (which === 'due' && this.dueInMs === 0);
    if (count === 0 || !isTaken) return undefined;
    const batch = this.waiting.slice(0, count);
    this.waiting = this.waiting.slice(count);
    this.since = this.now();
    return batch;
  }

  /** Tells whether a record is of an earlier table of the same name, which only the embedded engine's streams have. */
  private isLeftover({ dynamodb }: LambdaRecord): boolean {
    return this.beganAtSeconds !== undefined && Number(dynamodb?.ApproximateCreationDateTime) < this.beganAtSeconds;
  }
}
