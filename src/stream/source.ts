import { EdgeloomError } from '../foundation/errors.ts';
import type { RawRecord } from './decode.ts';

/** One shard of a stream. */
export interface Shard {
  shardId: string;
  /** The shard that this one continues. It may already be gone. */
  parentShardId?: string;
}

/** The current state and shards of a stream. */
export interface StreamDescription {
  /** `DISABLED`: nothing more will come, for example because the table was deleted; existing records can still be read. */
  status: 'ENABLING' | 'ENABLED' | 'DISABLING' | 'DISABLED';
  shards: Shard[];
}

/** A record with its id and its size in bytes. */
export interface StreamRecord extends RawRecord {
  eventID?: string;
  eventVersion?: string;
  dynamodb?: RawRecord['dynamodb'] & { SizeBytes?: number };
}

/** Returns when a record was made, in milliseconds since 1970; undefined if unknown. */
export function madeAtMsOf({ dynamodb }: StreamRecord): number | undefined {
  const made = dynamodb?.ApproximateCreationDateTime;
  return made instanceof Date ? made.getTime() : typeof made === 'number' ? made * 1000 : undefined;
}

/** One page of a shard. */
export interface StreamPage {
  records: readonly StreamRecord[];
  /** Where the next page starts. Absent if the shard is closed and read to its end, which `isClosed` confirms. */
  next?: string;
}

/**
 * Access to a stream. Calls throw a `StreamError` if a shard can't be read any further, and a `StoreError` (retryable or fatal) for
 * everything else.
 */
export interface StreamSource {
  readonly streamArn: string;
  /** Lists all shards of the stream. */
  describe(): Promise<StreamDescription>;
  /** Tells whether the stream itself shows that a shard gets no more records. Throws `no-shard` if it isn't listed or known as closed. */
  isClosed(shardId: string): Promise<boolean>;
  /** Returns an iterator after a sequence number; from the oldest record if it is undefined. */
  iterator(shardId: string, after: string | undefined): Promise<string>;
  /** Returns an iterator after the shard's newest record. */
  latest(shardId: string): Promise<string>;
  read(iterator: string, limit: number): Promise<StreamPage>;
}

/**
 * Why a shard's reader can't continue:
 * - `expired`: the iterator is too old; a new one helps;
 * - `trimmed`: the place to continue from has left the stream, with unread records;
 * - `no-shard`: the stream has no such shard (any more).
 */
export type StreamErrorKind = 'expired' | 'trimmed' | 'no-shard';

const HINTS: Readonly<Record<StreamErrorKind, string>> = {
  expired: 'Try again: reading goes on with a new iterator.',
  trimmed: 'Try again: reading goes on after the records that have left the stream.',
  'no-shard': 'Try again: the next listing of the stream shows which shards it has.',
};

/** A failed read of a shard. */
export class StreamError extends EdgeloomError {
  readonly kind: StreamErrorKind;

  constructor(kind: StreamErrorKind, message: string, options?: ErrorOptions) {
    super(`stream-${kind}`, message, HINTS[kind], options);
    this.name = 'StreamError';
    this.kind = kind;
  }
}

export function isNoShardError(error: unknown): error is StreamError {
  return error instanceof StreamError && error.kind === 'no-shard';
}
