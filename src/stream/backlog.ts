import type { LimitFunction } from 'p-limit';
import { isRetryableStoreError } from '../foundation/errors.ts';
import type { Journal } from './checkpoint-journal.ts';
import { parentIdsOf, readableShards } from './lineage.ts';
import { EMPTY_PAGES } from './shard-pages.ts';
import { type Shard, type StreamDescription, StreamError, type StreamRecord, type StreamSource } from './source.ts';

const PAGE_RECORDS = 1000;

export interface BacklogOptions {
  isOfOthers: (record: StreamRecord) => boolean;
  limit: LimitFunction;
}

interface BacklogRun {
  source: StreamSource;
  journal: Pick<Journal, 'get' | 'isFinished'>;
  stopping: AbortSignal;
}

interface ShardEnd {
  /** Where to continue looking for a later record of others. Absent once one is found, or if the shard is closed. */
  iterator?: string | undefined;
  next?: bigint;
  emptyPolls: number;
  emptyAt?: string | undefined;
}

/**
 * The records in a stream at one moment. The stream is never quiet while others write, but its backlog ends at their
 * first later record. Uses no clock, because clocks may differ from the stream's.
 */
export class Backlog {
  private readonly ends = new Map<string, ShardEnd>();
  private isLooking = false;
  private failure: { error: unknown } | undefined;

  constructor(
    private readonly run: BacklogRun,
    private readonly options: BacklogOptions,
  ) {}

  noteEmptyPoll(shardId: string): void {
    const end = this.ends.get(shardId);
    if (end === undefined) return;
    const at = this.run.journal.get(shardId)?.sequenceNumber;
    end.emptyPolls = end.emptyAt === at ? end.emptyPolls + 1 : 1;
    end.emptyAt = at;
  }

  /** Stays false if others write nothing more, because the stream then becomes quiet. */
  isWorkedOff({ shards, status }: StreamDescription): boolean {
    if (this.failure !== undefined) throw this.failure.error;
    const parents = parentIdsOf(shards);
    const isShardWorkedOff = (shardId: string): boolean => {
      // A closed shard continues in its children, which may be listed later.
      if (this.run.journal.isFinished(shardId)) return parents.has(shardId) || status === 'DISABLED';
      return this.isEndReached(shardId);
    };
    const isBusy = [...this.ends.values()].some(({ next }) => next !== undefined);
    if (isBusy && shards.every(({ shardId }) => isShardWorkedOff(shardId))) return true;
    if (!this.isLooking) void this.look(shards);
    return false;
  }

  /** Not awaited by `isWorkedOff`, so that it doesn't delay the next listing. */
  private async look(shards: readonly Shard[]): Promise<void> {
    this.isLooking = true;
    const { journal } = this.run;
    const parents = parentIdsOf(shards);
    const readable = readableShards(shards, (shardId) => journal.isFinished(shardId));
    const readableIds = new Set(readable.map(({ shardId }) => shardId));
    const open = shards.filter(({ shardId }) => !parents.has(shardId));
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
      if (error instanceof StreamError) this.ends.delete(shardId);
    }
  }

  private isEndReached(shardId: string): boolean {
    const end = this.ends.get(shardId);
    if (end === undefined) return false;
    const done = this.run.journal.get(shardId)?.sequenceNumber;
    const isPassed = end.next !== undefined && done !== undefined && BigInt(done) >= end.next;
    return isPassed || end.emptyPolls >= EMPTY_PAGES;
  }
}
