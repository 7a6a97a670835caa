import type { FeederState } from '../../client/feed/feeder.ts';
import type { ObservedDrift } from './drift.ts';

export interface ShardState {
  shardId: string;
  /**
   * Sequence number of the last record, or of the one before the oldest open record; undefined at the beginning of the
   * shard.
   */
  after?: string | undefined;
  /** True if the shard was read to its end and has no open items. */
  isFinished: boolean;
  /** No unread record was made before this time, in milliseconds since 1970; absent if unknown. */
  sinceMs?: number | undefined;
}

/**
 * A stretch of the stream, or a projection, that the observer knows nothing about. Only a check of the whole table ends
 * it.
 */
export interface Gap {
  reason: string;
  sinceMs: number;
}

/** What the indexes showed for sampled items. The counts restart at 0 each week. */
export interface SampledIndexes {
  asked: number;
  /** Number of items that still differed after all waits. */
  wrong: number;
  /** Newest first, at most 10. */
  wrongItems: string[];
  sinceMs: number;
  /** Why the latest question got no answer. */
  failure?: string | undefined;
}

export const MOST_SAVED_DRIFT = 25;

export interface ObserverState {
  streamArn: string;
  savedMs: number;
  shards: ShardState[];
  /**
   * Derived items that nothing has touched since this time are right, except those in `drift`. In milliseconds since
   * 1970; undefined if unknown.
   */
  throughMs?: number | undefined;
  /** When the check that is the base of the proof began. */
  baseMs?: number | undefined;
  /**
   * Names of the projections that readers used. If they begin to use another one, a check of the whole table is needed.
   */
  ready: string[];
  /** When the positions in the stream were taken. A check can be the base if it begins later. */
  positionsMs: number;
  gap?: Gap | undefined;
  /** The known differences, at most 25. Long strings are cut when they are saved. */
  drift: ObservedDrift[];
  /** The item, shard or gap that holds back the verified time; absent if nothing does. */
  heldBy?: string | undefined;
  feed?: FeederState | undefined;
  sampled?: SampledIndexes | undefined;
  /** The run was ended on purpose, so `throughMs` isn't expected to advance. */
  isEnded?: boolean | undefined;
}

export interface ObserverMemory {
  /** Takes the lease and returns the saved state, or `busy` if another process has the lease. */
  open(): Promise<ObserverState | 'busy' | undefined>;
  /** Saves the state. Returns false if another process has taken over, so that this one has to end. */
  save(state: ObserverState): Promise<boolean>;
}
