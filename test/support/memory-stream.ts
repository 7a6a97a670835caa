import type { Shard, StreamDescription, StreamPage, StreamRecord, StreamSource } from '../../src/stream/source.ts';

/** A shard of a stream in memory; one that is closed has an end. */
export interface MemoryShard extends Shard {
  records: StreamRecord[];
  isClosed?: boolean;
}

/** A stream in memory, which counts its calls. Its records were made 100 seconds before a moment. */
export class MemoryStream implements StreamSource {
  readonly streamArn = 'arn:aws:dynamodb:eu-central-1:123456789012:table/records/stream/2026-01-01T00:00:00.000';
  readonly shards: MemoryShard[] = [];
  status: StreamDescription['status'] = 'ENABLED';
  iterators = 0;
  reads = 0;
  atOnce = 0;
  mostAtOnce = 0;
  private readonly byId = new Map<string, MemoryShard>();

  constructor(private readonly nowMs: number) {}

  /** Adds a shard with records of nodes by their sequence numbers. */
  add(shardId: string, numbers: readonly number[], parentShardId?: string): void {
    const records = numbers.map((number): StreamRecord => {
      const id = { S: `USER-${number}` };
      const dynamodb = { Keys: { source: id, target: id }, SequenceNumber: `${number}` };
      return { dynamodb: { ...dynamodb, ApproximateCreationDateTime: this.nowMs / 1000 - 100 } };
    });
    const shard = { shardId, records, ...(parentShardId !== undefined && { parentShardId }) };
    this.shards.push(shard);
    this.byId.set(shardId, shard);
  }

  async describe(): Promise<StreamDescription> {
    return {
      status: this.status,
      shards: this.shards.map(({ shardId, parentShardId }) => ({ shardId, parentShardId })),
    };
  }

  async iterator(shardId: string, after: string | undefined): Promise<string> {
    this.iterators += 1;
    const { records } = this.byId.get(shardId)!;
    return `${shardId}:${after === undefined ? 0 : records.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === after) + 1}`;
  }

  async isClosed(shardId: string): Promise<boolean> {
    return this.byId.get(shardId)?.isClosed === true;
  }

  latest(_shardId: string): Promise<string> {
    throw new Error('a walk reads from where it has come');
  }

  async read(iterator: string, limit: number): Promise<StreamPage> {
    this.reads += 1;
    this.atOnce += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.atOnce);
    await new Promise((resolve) => setImmediate(resolve));
    this.atOnce -= 1;
    const [shardId, start] = iterator.split(':') as [string, string];
    const { records, isClosed } = this.byId.get(shardId)!;
    const page = records.slice(Number(start), Number(start) + limit);
    const end = Number(start) + page.length;
    return { records: page, ...(isClosed === true && end === records.length ? {} : { next: `${shardId}:${end}` }) };
  }
}
