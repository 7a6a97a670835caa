import { EdgeloomError } from '../foundation/errors.ts';
import type { RawRecord } from './decode.ts';

/** One shard of a stream. */
export interface Shard {
  shardId: string;
  /** The shard that this one goes on from; it may be gone already. */
  parentShardId?: string;
}

/** The current state and shards of a stream. */
export interface StreamDescription {
  /** `DISABLED`: nothing more will come, as after the table was deleted; what is there can still be read. */
  status: 'ENABLING' | 'ENABLED' | 'DISABLING' | 'DISABLED';
  shards: Shard[];
}

/** A record with what the stream tells besides: its id, and its size in bytes. */
export interface StreamRecord extends RawRecord {
  eventID?: string;
  eventVersion?: string;
  dynamodb?: RawRecord['dynamodb'] & { SizeBytes?: number };
}

/** One page of a shard. */
export interface StreamPage {
  records: readonly StreamRecord[];
  /** Where the next page starts; absent when the shard is closed and read to its end, which `isClosed` confirms. */
  next?: string;
}

/**
 * The way to a stream, as narrow as the worker needs it. Calls throw a `StreamError` for what belongs to reading a
 * shard, and a `StoreError` (retryable or fatal) for everything else.
 */
export interface StreamSource {
  /** The stream's ARN. */
  readonly streamArn: string;
  /** Every shard, all pages. */
  describe(): Promise<StreamDescription>;
  /** Tells whether the stream itself shows that a shard takes no more records. Throws `no-shard` where it does not list it. */
  isClosed(shardId: string): Promise<boolean>;
  /** An iterator after a sequence number, or from the oldest record where that is undefined. */
  iterator(shardId: string, after: string | undefined): Promise<string>;
  /** An iterator after the newest record that the shard holds now. */
  latest(shardId: string): Promise<string>;
  /** Reads one page, of at most `limit` records. */
  read(iterator: string, limit: number): Promise<StreamPage>;
}

/**
 * The conditions in which the reader of a shard cannot go on as before:
 * - `expired`: the iterator is too old; a new one goes on;
 * - `trimmed`: the place to go on from has left the stream, and unread records with it;
 * - `no-shard`: the stream has no such shard (any more).
 */
export type StreamErrorKind = 'expired' | 'trimmed' | 'no-shard';

const HINTS: Readonly<Record<StreamErrorKind, string>> = {
  expired: 'Try again: reading goes on with a new iterator.',
  trimmed: 'Try again: reading goes on after the records that have left the stream.',
  'no-shard': 'Try again: the next listing of the stream shows which shards it has.',
};

/** A read of a shard that failed in a way that belongs to streams. */
export class StreamError extends EdgeloomError {
  readonly kind: StreamErrorKind;

  constructor(kind: StreamErrorKind, message: string, options?: ErrorOptions) {
    super(`stream-${kind}`, message, HINTS[kind], options);
    this.name = 'StreamError';
    this.kind = kind;
  }
}

/** Tells whether an error says that the stream has no such shard. */
export function isNoShardError(error: unknown): error is StreamError {
  return error instanceof StreamError && error.kind === 'no-shard';
}
