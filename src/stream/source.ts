import { EdgeloomError } from '../foundation/errors.ts';
import type { RawRecord } from './decode.ts';

/** A shard as listed by its stream. */
export interface Shard {
  shardId: string;
  /** The shard that this one continues, which may already be gone. */
  parentShardId?: string;
}

/** A stream's status and shards when it was listed. */
export interface StreamDescription {
  /**
   * `DISABLED`: no more records will come, for example because the table was deleted; existing ones can still be read.
   */
  status: 'ENABLING' | 'ENABLED' | 'DISABLING' | 'DISABLED';
  shards: Shard[];
}

/** A record with its id and its size in bytes. */
export interface StreamRecord extends RawRecord {
  eventID?: string;
  eventVersion?: string;
  dynamodb?: RawRecord['dynamodb'] & { SizeBytes?: number };
}

export function madeAtMsOf({ dynamodb }: StreamRecord): number | undefined {
  const made = dynamodb?.ApproximateCreationDateTime;
  return made instanceof Date ? made.getTime() : typeof made === 'number' ? made * 1000 : undefined;
}

/** A page of a shard's records. */
export interface StreamPage {
  records: readonly StreamRecord[];
  /** Where the next page starts. Absent if the shard is closed and read to its end, which `isClosed` confirms. */
  next?: string;
}

/**
 * Access to a stream. Calls throw a `StreamError` if a shard can't be read further, and a retryable or fatal
 * `StoreError` for everything else.
 */
export interface StreamSource {
  readonly streamArn: string;
  /** Returns the stream's status and all its shards. */
  describe(): Promise<StreamDescription>;
  /**
   * Tells whether the stream itself shows that a shard gets no more records. Throws `no-shard` if the shard is neither
   * listed nor known as closed.
   */
  isClosed(shardId: string): Promise<boolean>;
  /** Returns an iterator that starts after a sequence number, or at the oldest record if it is undefined. */
  iterator(shardId: string, after: string | undefined): Promise<string>;
  /** Returns an iterator that starts after the shard's newest record. */
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

/** Thrown if a shard can't be read further; `kind` tells why. */
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
