import type { FeederState } from '../../client/feed/feeder.ts';
import type { ObservedDrift } from './drift.ts';

/** How far one shard was read, as a restart needs it. */
export interface ShardState {
  shardId: string;
  /** The last record, or the one before the oldest that is still open; undefined: from the shard's beginning. */
  after?: string | undefined;
  /** True if the shard was read to its end and has no open items. */
  isFinished: boolean;
  /** No record that is still to be read was made before this time, in milliseconds since 1970; absent: not known. */
  sinceMs?: number | undefined;
}

/**
 * A stretch of the stream, or a projection, about which the observer knows nothing. Only a check of the whole table
 * ends it.
 */
export interface Gap {
  reason: string;
  /** When it was noticed, in milliseconds since 1970. */
  sinceMs: number;
}

/** What the indexes showed for sampled items. The counts restart at 0 each week. */
export interface SampledIndexes {
  /** Number of changed items that were compared with what the indexes show. */
  asked: number;
  /** How many of them the indexes showed wrongly after all waits. */
  wrong: number;
  /** Names of these items, the newest first, 10 at most. */
  wrongItems: string[];
  /** When the counts began, in milliseconds since 1970. */
  sinceMs: number;
  /** Why the latest question got no answer; absent: it got one. */
  failure?: string | undefined;
}

/** Maximum number of known differences that are saved. */
export const MOST_SAVED_DRIFT = 25;

/** The state of an observer, from which any process can continue. */
export interface ObserverState {
  streamArn: string;
  /** When it was saved, in milliseconds since 1970. */
  savedMs: number;
  shards: ShardState[];
  /**
   * Every derived item that nothing has touched since this time is right, except for `drift`. In milliseconds since
   * 1970; undefined: not known.
   */
  throughMs?: number | undefined;
  /** When the check that is the base of the proof began; undefined: there was none. */
  baseMs?: number | undefined;
  /** The generations and shapes that readers used. If readers start to use another, a check of the whole table is needed. */
  ready: string[];
  /** When the positions in the stream were taken. A check can be the base if it begins later. */
  positionsMs: number;
  /** Absent: there is no gap. */
  gap?: Gap | undefined;
  /** The known differences, 25 at most. Long strings are cut when they are saved. */
  drift: ObservedDrift[];
  /** The item, shard or gap that holds back the verified time; absent: none. */
  heldBy?: string | undefined;
  /** How far the feed has delivered the changes; absent: no feed runs. */
  feed?: FeederState | undefined;
  /** The sample of the indexes; absent: none is taken. */
  sampled?: SampledIndexes | undefined;
  /** True if the run that saved it was ended on purpose, so nobody expects the time to advance. */
  isEnded?: boolean | undefined;
}

/** Where the state of an observer is kept. */
export interface ObserverMemory {
  /** Takes the lease and returns the saved state; `busy`: another process has the lease. */
  open(): Promise<ObserverState | 'busy' | undefined>;
  /** Saves the state; false: another process has taken over, and this one has to end. */
  save(state: ObserverState): Promise<boolean>;
}
