import type { ChangeRecord } from '../core/items/change-record.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import { decodeRecords } from './decode.ts';
import { isFullPage, type ShardPage, ShardPages } from './shard-pages.ts';
import type { ReadBatch } from './shard-work.ts';
import type { StreamSource } from './source.ts';

export interface BatchLimits {
  maxRecords: number;
  maxBytes: number;
}

export interface ShardBatch extends ReadBatch {
  records: ChangeRecord[];
  /** The number of the last record read, even if it was dropped. */
  sequenceNumber?: string;
}

export class ShardReader {
  private readonly pages: ShardPages;
  private batch = emptyBatch();
  private batchBytes = 0;

  constructor(
    private readonly context: { graph: CompiledModel; source: StreamSource; limits: BatchLimits },
    { shardId, after }: { shardId: string; after: string | undefined },
    onTrimmed: (message: string) => void,
  ) {
    this.pages = new ShardPages(context.source, shardId, { after }, onTrimmed);
  }

  /**
   * While a shard is behind, a batch takes many pages, because larger batches need fewer writes per record. After an
   * error, the next call continues with what was read.
   */
  async nextBatch(isStopping: () => boolean): Promise<ShardBatch> {
    for (;;) {
      const hasMore = this.addPage(await this.pages.next());
      if (hasMore && !isStopping()) continue;
      const { batch } = this;
      this.batch = emptyBatch();
      this.batchBytes = 0;
      return batch;
    }
  }

  private addPage(page: ShardPage): boolean {
    const { batch } = this;
    const { graph, source, limits } = this.context;
    const decoded = decodeRecords(graph, page.records, source.streamArn);
    const kept = new Set(decoded.map(({ sequenceNumber }) => sequenceNumber));
    for (const { dynamodb } of page.records) {
      // Records of derived items, which are most of a stream, are dropped and don't fill the batch.
      if (kept.has(dynamodb?.SequenceNumber ?? '')) this.batchBytes += dynamodb?.SizeBytes ?? 0;
    }
    for (const record of decoded) batch.records.push(record);
    batch.isEmpty &&= page.records.length === 0;
    batch.sequenceNumber = this.pages.lastRead;
    batch.isEnd = page.isEnd;
    const hasRoom = batch.records.length < limits.maxRecords && this.batchBytes < limits.maxBytes;
    return isFullPage(page) && hasRoom && !batch.isEnd;
  }
}

function emptyBatch(): ShardBatch {
  return { records: [], isEmpty: true, isEnd: false };
}
