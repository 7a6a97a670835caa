import type { AnyGraph } from '../model/graph.ts';
import { decodeRecords } from '../stream/decode.ts';
import type { ChangeRecord } from '../stream/record.ts';
import { StreamError, type StreamPage, type StreamSource } from './stream-source.ts';

/** How much of a shard is folded into one batch. */
export interface BatchLimits {
  /** Base items' records. */
  maxRecords: number;
  /** Bytes of these records' images. */
  maxBytes: number;
}

/** What was read of a shard in one go. */
export interface ShardBatch {
  /** The changes of base items, oldest first. */
  records: ChangeRecord[];
  /** Records read, those of derived items included. */
  recordsRead: number;
  /** Of the newest record read, whatever its item; undefined where none was. */
  sequenceNumber?: string;
  /** Whether the shard is closed and this was its end. */
  isEnd: boolean;
}

/** GetRecords gives at most this many; one local engine refuses to be asked for more. */
const PAGE_RECORDS = 1000;
/** A page that holds this much is taken as a sign that more is waiting. */
const FULL_PAGE_RECORDS = PAGE_RECORDS / 2;
const FULL_PAGE_BYTES = 512 * 1024;
/** New iterators in a row without a page, before the caller's backoff takes over. */
const MAX_REOPENS = 3;

/** Reads one shard, page by page, and gathers batches. */
export class ShardReader {
  private iterator: string | undefined;
  private batch = emptyBatch();
  private batchBytes = 0;

  /**
   * @param position sequence number of the last record that is done; undefined: start with the oldest.
   * @param onTrimmed called with a sentence when unread records have left the stream; reading goes on after the gap.
   */
  constructor(
    private readonly graph: AnyGraph,
    private readonly source: StreamSource,
    private readonly shardId: string,
    private position: string | undefined,
    private readonly limits: BatchLimits,
    private readonly onTrimmed: (message: string) => void,
  ) {}

  /**
   * Reads until a batch is full, or nothing more is waiting, or `isStopping` says so. While a shard is behind, many
   * pages make one batch: the bigger the batch, the fewer writes a record costs. Where it throws, what was read before
   * is kept and the next call goes on from there.
   */
  async nextBatch(isStopping: () => boolean): Promise<ShardBatch> {
    for (;;) {
      const hasMore = this.take(await this.readPage());
      if (hasMore && !isStopping()) continue;
      const { batch } = this;
      this.batch = emptyBatch();
      this.batchBytes = 0;
      return batch;
    }
  }

  private async readPage(): Promise<StreamPage> {
    for (let reopened = 0; ; reopened++) {
      try {
        this.iterator ??= await this.source.iterator(this.shardId, this.position);
        return await this.source.read(this.iterator, PAGE_RECORDS);
      } catch (error) {
        if (!(error instanceof StreamError)) throw error;
        this.iterator = undefined;
        if (error.kind === 'trimmed') {
          const place = this.position === undefined ? 'its oldest record' : `sequence number ${this.position}`;
          this.position = undefined;
          this.onTrimmed(
            `Shard ${this.shardId} has lost records that were not read: the stream no longer holds what follows ${place}.`,
          );
        }
        if (error.kind === 'no-shard' || reopened >= MAX_REOPENS) throw error;
      }
    }
  }

  /** Adds a page to the batch; gives whether to read another for it. */
  private take({ records, next }: StreamPage): boolean {
    const { batch } = this;
    const decoded = decodeRecords(this.graph, records, this.source.streamArn);
    const kept = new Set(decoded.map(({ sequenceNumber }) => sequenceNumber));
    let pageBytes = 0;
    for (const { dynamodb } of records) {
      const bytes = dynamodb?.SizeBytes ?? 0;
      pageBytes += bytes;
      // Derived items' records are dropped: they are most of a stream, and cost a batch nothing.
      if (kept.has(dynamodb?.SequenceNumber ?? '')) this.batchBytes += bytes;
    }
    for (const record of decoded) batch.records.push(record);
    batch.recordsRead += records.length;
    this.position = records.at(-1)?.dynamodb?.SequenceNumber ?? this.position;
    batch.sequenceNumber = this.position;
    batch.isEnd = next === undefined;
    this.iterator = next;
    const isFullPage = records.length >= FULL_PAGE_RECORDS || pageBytes >= FULL_PAGE_BYTES;
    const hasRoom = batch.records.length < this.limits.maxRecords && this.batchBytes < this.limits.maxBytes;
    return isFullPage && hasRoom && !batch.isEnd;
  }
}

function emptyBatch(): ShardBatch {
  return { records: [], recordsRead: 0, isEnd: false };
}
