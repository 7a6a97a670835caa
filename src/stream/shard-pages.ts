import { StoreError } from '../foundation/errors.ts';
import { StreamError, type StreamPage, type StreamRecord, type StreamSource } from './source.ts';

/** GetRecords returns at most 1,000 records, and one local engine refuses larger limits. */
const PAGE_RECORDS = 1000;
/** A page with at least this many records suggests that more are waiting. */
const FULL_PAGE_RECORDS = PAGE_RECORDS / 2;
const FULL_PAGE_BYTES = 512 * 1024;
/** Limits the new iterators tried for a page, before the caller's backoff takes over. */
const MAX_REOPENS = 3;

/** The number of empty pages in a row that show a shard's end. A single page may be empty before the end. */
export const EMPTY_PAGES = 2;
export const SHARDS_AT_ONCE = 32;

export interface StartingPoint {
  after?: string;
  /** Used first; if it no longer works, `after` is used. */
  iterator?: string;
}

export interface ShardPage {
  records: readonly StreamRecord[];
  /** True if the answer names no next page and the shard is closed, or if the shard is lost. */
  isEnd: boolean;
  /** True if the stream has shown the shard closed, and then lost it. */
  isLost?: boolean;
}

export class ShardPages {
  private iterator: string | undefined;
  private position: string | undefined;

  /** @param onTrimmed called with a sentence when unread records have left the stream. */
  constructor(
    private readonly source: StreamSource,
    private readonly shardId: string,
    { after, iterator }: StartingPoint,
    private readonly onTrimmed: (message: string) => void,
  ) {
    this.position = after;
    this.iterator = iterator;
  }

  get lastRead(): string | undefined {
    return this.position;
  }

  /** After an error, the next call reads the same page. */
  async next(): Promise<ShardPage> {
    const page = await this.read();
    if (page === undefined) return { records: [], isEnd: true, isLost: true };
    const { records, next } = page;
    const isEnd = next === undefined && (await this.source.isClosed(this.shardId));
    if (next === undefined && !isEnd && records.length === 0) {
      this.iterator = undefined;
      throw unprovenEndError(this.shardId);
    }
    this.position = records.at(-1)?.dynamodb?.SequenceNumber ?? this.position;
    this.iterator = next;
    return { records, isEnd };
  }

  private async read(): Promise<StreamPage | undefined> {
    let isTrimmed = false;
    for (let reopened = 0; ; reopened++) {
      try {
        this.iterator ??= await this.source.iterator(this.shardId, this.position);
        return await this.source.read(this.iterator, PAGE_RECORDS);
      } catch (error) {
        if (!(error instanceof StreamError)) throw error;
        this.iterator = undefined;
        const place = this.position === undefined ? 'its oldest record' : `sequence number ${this.position}`;
        if (error.kind === 'trimmed' && !isTrimmed) {
          isTrimmed = true;
          this.position = undefined;
          this.onTrimmed(
            `Shard ${this.shardId} has lost records that were not read: the stream no longer holds what follows ${place}.`,
          );
        }
        // An open shard may be listed just before it can be read, so only a closed one counts as lost. `isClosed`
        // throws if the shard is neither listed nor known as closed.
        const isLost = error.kind === 'no-shard' && (await this.source.isClosed(this.shardId));
        if (reopened < MAX_REOPENS && (isLost || error.kind !== 'no-shard')) continue;
        if (!isLost) throw this.unreadableError(error);
        this.onTrimmed(
          `Shard ${this.shardId} has left the stream and can no longer be read: what followed ${place} was not read, and its children are.`,
        );
        return undefined;
      }
    }
  }

  private unreadableError(error: StreamError): StreamError {
    return new StreamError(error.kind, `Shard ${this.shardId} cannot be read: ${error.message}`, { cause: error });
  }
}

/** One answer without a next page doesn't prove the shard's end, and trusting it could leave records unread. */
function unprovenEndError(shardId: string): StoreError {
  return new StoreError(
    'retryable',
    'incomplete-answer',
    `The answer to GetRecords names no next page of shard ${shardId}, which the stream shows open.`,
    'Reading goes on after the last record.',
  );
}

export function isFullPage({ records }: Pick<StreamPage, 'records'>): boolean {
  const bytes = records.reduce((sum, { dynamodb }) => sum + (dynamodb?.SizeBytes ?? 0), 0);
  return records.length >= FULL_PAGE_RECORDS || bytes >= FULL_PAGE_BYTES;
}
