import type { FeederState } from '../../client/feed/feeder.ts';
import type { ObservedDrift } from './drift.ts';

/** How far one shard was read, as a restart needs it. */
export interface ShardState {
  shardId: string;
  /** The record before the oldest one that is still open; undefined: from the shard's beginning. */
  after?: string | undefined;
  /** True if the shard was read to its end, and nothing of it is open. */
  isFinished: boolean;
  /** No record that is still to be read was made before this time, in milliseconds since 1970; absent: not known. */
  sinceMs?: number | undefined;
}

/** A stretch of the stream, or a projection, that the observer knows nothing about. Only a check of the whole table ends it. */
export interface Gap {
  reason: string;
  /** When it was noticed, in milliseconds since 1970. */
  sinceMs: number;
}

/** The answers of the indexes about sampled items. Their counts begin again at 0 each week. */
export interface SampledIndexes {
  /** Changed items that were compared with what the indexes show. */
  asked: number;
  /** How many of them the indexes showed otherwise, or showed still, after all waits. */
  wrong: number;
  /** Names of wrong ones, the newest first, 10 at most. */
  wrongItems: string[];
  /** When the counts began, in milliseconds since 1970. */
  sinceMs: number;
  /** Why the latest question had no answer; absent: it had one. */
  failure?: string | undefined;
}

/** The state of an observer: enough for a restart by any process. */
export interface ObserverState {
  streamArn: string;
  /** When it was saved, in milliseconds since 1970. */
  savedMs: number;
  shards: ShardState[];
  /** Every derived item that nothing has touched since this time is right, in milliseconds since 1970; undefined: not known. */
  throughMs?: number | undefined;
  /** When the check began that is the base of the proof; undefined: there was none. */
  baseMs?: number | undefined;
  /** The generations and shapes that readers used: another one that they use needs a check of the whole table. */
  ready: string[];
  /** When the positions were taken from which a check can be the base. */
  positionsMs: number;
  /** Absent: nothing is missing. */
  gap?: Gap | undefined;
  /** The known differences. Long texts are cut as they are saved. */
  drift: ObservedDrift[];
  /** The item, shard or gap that holds the time; absent: nothing does. */
  heldBy?: string | undefined;
  /** Up to where the feed has told the changes; absent: no feed runs. */
  feed?: FeederState | undefined;
  /** The sample of the indexes; absent: none is taken. */
  sampled?: SampledIndexes | undefined;
  /** True if the run that saved it has ended in order: nobody waits for the time to go on. */
  isEnded?: boolean | undefined;
}

/** The place where the state of an observer is kept. */
export interface ObserverMemory {
  /** The saved state, once this process may run; `busy`: another process runs. */
  open(): Promise<ObserverState | 'busy' | undefined>;
  /** Saves the state; false: another process has taken over, and this one has to end. */
  save(state: ObserverState): Promise<boolean>;
}
