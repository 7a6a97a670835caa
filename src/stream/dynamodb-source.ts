import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type ShardIteratorType,
} from '@aws-sdk/client-dynamodb-streams';
import { type EdgeloomError, messageOf, StoreError } from '../foundation/errors.ts';
import { sleep } from '../foundation/runtime.ts';
import { requireAnswer } from '../store/answers.ts';
import { classifyError } from '../store/classify.ts';
import {
  type Shard,
  type StreamDescription,
  StreamError,
  type StreamErrorKind,
  type StreamPage,
  type StreamSource,
} from './source.ts';

/** DescribeStream allows ten calls per second and account. */
const DESCRIBE_PAUSE_MS = 250;

/**
 * Reads a table's stream through the SDK. An incomplete answer is a retryable error, because it would otherwise pass
 * for an empty page or a stream without shards.
 */
export class DynamoDBStreamSource implements StreamSource {
  private readonly closed = new Set<string>();
  private readonly listings: SharedQuestion<StreamDescription>;

  constructor(
    private readonly client: DynamoDBStreamsClient,
    readonly streamArn: string,
  ) {
    this.listings = new SharedQuestion(() => this.describe());
  }

  async describe(): Promise<StreamDescription> {
    const shards: Shard[] = [];
    for (let start: string | undefined; ; await sleep(DESCRIBE_PAUSE_MS)) {
      const page = await this.describePage(start);
      const listed = requireAnswer(page.Shards, 'DescribeStream', 'Shards');
      for (const { ShardId, ParentShardId, SequenceNumberRange } of listed) {
        if (ShardId === undefined) continue;
        shards.push({ shardId: ShardId, parentShardId: ParentShardId });
        if (SequenceNumberRange?.EndingSequenceNumber !== undefined) this.closed.add(ShardId);
        // A shard with children gets no more records.
        if (ParentShardId !== undefined) this.closed.add(ParentShardId);
      }
      start = page.LastEvaluatedShardId;
      if (start === undefined) {
        return { status: requireAnswer(page.StreamStatus, 'DescribeStream', 'StreamStatus'), shards };
      }
    }
  }

  async isClosed(shardId: string): Promise<boolean> {
    if (this.closed.has(shardId)) return true;
    // Readers of many shards share a listing, which takes a call per hundred shards, with pauses.
    const { status, shards } = await this.listings.askOrJoin();
    if (shards.every((shard) => shard.shardId !== shardId)) {
      throw new StreamError('no-shard', `The stream does not list shard ${shardId}.`);
    }
    // A disabled stream gets no more records, whatever its shards show.
    return status === 'DISABLED' || this.closed.has(shardId);
  }

  private async describePage(start: string | undefined) {
    const command = new DescribeStreamCommand({ StreamArn: this.streamArn, ExclusiveStartShardId: start });
    try {
      const { StreamDescription } = await this.client.send(command);
      return requireAnswer(StreamDescription, 'DescribeStream', 'StreamDescription');
    } catch (error) {
      if (errorName(error) !== 'ResourceNotFoundException') throw requestError(error);
      throw new StoreError(
        'fatal',
        'no-stream',
        `There is no stream ${this.streamArn}.`,
        'Its table was deleted or re-created; start again to follow the stream that the table has now.',
        { cause: error },
      );
    }
  }

  async iterator(shardId: string, after: string | undefined): Promise<string> {
    return await this.iteratorOf(shardId, after === undefined ? 'TRIM_HORIZON' : 'AFTER_SEQUENCE_NUMBER', after);
  }

  async latest(shardId: string): Promise<string> {
    return await this.iteratorOf(shardId, 'LATEST');
  }

  private async iteratorOf(ShardId: string, ShardIteratorType: ShardIteratorType, after?: string): Promise<string> {
    const place = { ShardIteratorType, ...(after !== undefined && { SequenceNumber: after }) };
    const command = new GetShardIteratorCommand({ StreamArn: this.streamArn, ShardId, ...place });
    try {
      return requireAnswer((await this.client.send(command)).ShardIterator, 'GetShardIterator', 'ShardIterator');
    } catch (error) {
      throw shardError(error, after);
    }
  }

  async read(iterator: string, limit: number): Promise<StreamPage> {
    try {
      const page = await this.client.send(new GetRecordsCommand({ ShardIterator: iterator, Limit: limit }));
      return { records: requireAnswer(page.Records, 'GetRecords', 'Records'), next: page.NextShardIterator };
    } catch (error) {
      throw shardError(error);
    }
  }
}

/** Shares calls among simultaneous callers. Each gets the answer of a call that began after it asked. */
class SharedQuestion<Answer> {
  private current: Promise<Answer> | undefined;
  private next: Promise<Answer> | undefined;

  constructor(private readonly answer: () => Promise<Answer>) {}

  askOrJoin(): Promise<Answer> {
    if (this.current === undefined) return this.startAsking();
    this.next ??= this.current.then(
      () => this.startAsking(),
      () => this.startAsking(),
    );
    return this.next;
  }

  private startAsking(): Promise<Answer> {
    this.next = undefined;
    const asked = this.answer().finally(() => {
      if (this.current === asked) this.current = undefined;
    });
    this.current = asked;
    return asked;
  }
}

const SHARD_ERRORS: ReadonlyMap<string, StreamErrorKind> = new Map([
  ['ExpiredIteratorException', 'expired'],
  ['TrimmedDataAccessException', 'trimmed'],
  ['ResourceNotFoundException', 'no-shard'],
]);

/** @param asked the sequence number for which an iterator was requested. */
export function shardErrorKind(error: unknown, asked?: string): StreamErrorKind | undefined {
  const name = errorName(error);
  // DynamoDB reports an unknown sequence number as invalid.
  if (asked !== undefined && name === 'ValidationException') return 'trimmed';
  return SHARD_ERRORS.get(name);
}

function shardError(error: unknown, asked?: string): EdgeloomError {
  const kind = shardErrorKind(error, asked);
  if (kind === undefined) return requestError(error);
  return new StreamError(kind, messageOf(error), { cause: error });
}

/** Makes an invalid request `fatal` instead of `terminal`, because there is no item to quarantine. */
function requestError(error: unknown): StoreError {
  const classified = classifyError(error);
  if (classified.kind !== 'terminal') return classified;
  return new StoreError('fatal', classified.code, classified.message, classified.hint, { cause: error });
}

function errorName(error: unknown): string {
  return error instanceof Error ? error.name : '';
}
