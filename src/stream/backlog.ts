import type { LimitFunction } from 'p-limit';
import { isRetryableStoreError } from '../foundation/errors.ts';
import type { Journal } from './checkpoint-journal.ts';
import { readableShards } from './lineage.ts';
import { type Shard, type StreamDescription, StreamError, type StreamRecord, type StreamSource } from './source.ts';

/** Polls in a row of a shard that have to find nothing. */
const EMPTY_POLLS = 2;
/** Records that one look reads behind the end of a shard. */
const PAGE_RECORDS = 1000;

/** How a backlog is read. */
export interface BacklogOptions {
  /** Tells whether a record is not of what the follower itself writes. */
  isOfOthers: (record: StreamRecord) => boolean;
  /** Bounds how many shards are read at once. */
  limit: LimitFunction;
}

/** The run whose backlog it is. */
interface BacklogRun {
  source: StreamSource;
  journal: Pick<Journal, 'get' | 'isFinished'>;
  stopping: AbortSignal;
}

/** Where a shard ended when it was listed first. */
interface ShardEnd {
  /** An iterator behind that end, and behind what was looked at since; absent: a record behind it is known, or the shard is closed. */
  iterator?: string | undefined;
  /** The sequence number of the first record of others behind that end. */
  next?: bigint;
  emptyPolls: number;
  /** The last record that was worked off at these polls. */
  emptyAt?: string | undefined;
}

/**
 * The records that a stream holds at a moment, and whether they are worked off. A stream that others go on writing to is never quiet;
 * its backlog ends all the same: with the first record of others that came later. No clock is asked: it may differ from the stream's.
 */
export class Backlog {
  private readonly ends = new Map<string, ShardEnd>();
  private isLooking = false;
  private failure: { error: unknown } | undefined;

  constructor(
    private readonly run: BacklogRun,
    private readonly options: BacklogOptions,
  ) {}

  /** A poll of a shard has found nothing. */
  noteEmptyPoll(shardId: string): void {
    const end = this.ends.get(shardId);
    if (end === undefined) return;
    const at = this.run.journal.get(shardId)?.sequenceNumber;
    end.emptyPolls = end.emptyAt === at ? end.emptyPolls + 1 : 1;
    end.emptyAt = at;
  }

  /**
   * Tells whether the records from before the first look are worked off while others go on writing, as far as the last look knows; begins the
   * next one. Without later records of others it is false: such a stream becomes quiet, with all that the follower itself writes.
   */
  isWorkedOff(description: StreamDescription): boolean {
    if (this.failure !== undefined) throw this.failure.error;
    const { shards, status } = description;
    const parents = parentsOf(description);
    const isShardWorkedOff = (shardId: string): boolean => {
      // A closed shard goes on in children, which may be listed later.
      if (this.run.journal.isFinished(shardId)) return parents.has(shardId) || status === 'DISABLED';
      return this.isEndReached(shardId);
    };
    const isBusy = [...this.ends.values()].some(({ next }) => next !== undefined);
    if (isBusy && shards.every(({ shardId }) => isShardWorkedOff(shardId))) return true;
    if (!this.isLooking) void this.look(description);
    return false;
  }

  /** Looks at the shards, next to the work: a listing need not wait until that leaves room. */
  private async look(description: StreamDescription): Promise<void> {
    this.isLooking = true;
    const { journal } = this.run;
    const parents = parentsOf(description);
    const readable = readableShards(description.shards, (shardId) => journal.isFinished(shardId));
    const readableIds = new Set(readable.map(({ shardId }) => shardId));
    const open = description.shards.filter(({ shardId }) => !parents.has(shardId));
    try {
      const lookAt = ({ shardId }: Shard) => this.options.limit(() => this.lookAt(shardId, readableIds.has(shardId)));
      await Promise.all(open.map(lookAt));
    } catch (error) {
      this.failure = { error };
    } finally {
      this.isLooking = false;
    }
  }

  private async lookAt(shardId: string, isReadable: boolean): Promise<void> {
    const { source, stopping } = this.run;
    if (stopping.aborted) return;
    const end = this.ends.get(shardId);
    try {
      if (end === undefined) {
        this.ends.set(shardId, { iterator: await source.latest(shardId), emptyPolls: 0 });
      } else if (isReadable && end.iterator !== undefined && !this.isEndReached(shardId)) {
        const { records, next } = await source.read(end.iterator, PAGE_RECORDS);
        const number = records.find(this.options.isOfOthers)?.dynamodb?.SequenceNumber;
        if (number !== undefined) end.next = BigInt(number);
        end.iterator = number === undefined ? next : undefined;
      }
    } catch (error) {
      if (!(error instanceof StreamError) && !isRetryableStoreError(error)) throw error;
      // The next look asks for the end that the shard has then: that is no earlier one.
      if (error instanceof StreamError) this.ends.delete(shardId);
    }
  }

  private isEndReached(shardId: string): boolean {
    const end = this.ends.get(shardId);
    if (end === undefined) return false;
    const done = this.run.journal.get(shardId)?.sequenceNumber;
    const isPassed = end.next !== undefined && done !== undefined && BigInt(done) >= end.next;
    return isPassed || end.emptyPolls >= EMPTY_POLLS;
  }
}

function parentsOf({ shards }: StreamDescription): ReadonlySet<string | undefined> {
  return new Set(shards.map(({ parentShardId }) => parentShardId));
}
