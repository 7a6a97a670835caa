import { EdgeloomError, isRetryableStoreError } from '../errors.ts';
import type { Item } from '../items/attribute-value.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { retrying } from '../retry.ts';
import type { DerivedUpdate, Store, UpdateResult } from '../store/port.ts';
import type { EvictedViews } from './evicted-views.ts';

/** What a batch has cost and met so far. */
export interface ApplyStats {
  /** Update calls to derived items and puts of quarantine entries, failed conditions included. */
  writes: number;
  wcu: number;
  rcu: number;
  /** Units that carried records not newer than the derived item's watermark. */
  stale: number;
  /** Stale changes that said otherwise than the derived item, each settled by a read of the base item. */
  contradictions: number;
  /** Quarantine entries written. */
  quarantined: number;
}

/** What applying a unit needs. */
export interface ApplyContext {
  graph: CompiledModel;
  store: Store;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Milliseconds left for this batch. */
  remainingMs: () => number;
  /** Waits so many milliseconds before a retry. */
  wait: (milliseconds: number) => Promise<void>;
  /** The jitter of retries, 0 to 1. */
  random: () => number;
  /** Told of each quarantine entry that was put. */
  onQuarantine?: (entry: Item) => void;
  /** Reverse items in one page of a fan-out. */
  fanOutPageSize?: number;
  /** What views were last seen without; shared by batches. */
  evicted?: EvictedViews;
  /** Joined items that this batch has settled, by `textOfKey`: the edge and its source node were read for them. */
  settled?: Set<string>;
  stats: ApplyStats;
}

/** The batch's time is over before a unit was applied; the unit is reported as not processed. */
export class OutOfTimeError extends EdgeloomError {
  constructor() {
    super('out-of-time', 'The time budget of the batch ended before all units were applied.', 'They will be retried.');
  }
}

/** Throws where no time is left to start another call. */
export function checkTime(context: ApplyContext): void {
  if (context.remainingMs() <= 0) throw new OutOfTimeError();
}

/** One conditional update, counted. */
export async function updateItem(context: ApplyContext, update: DerivedUpdate): Promise<UpdateResult> {
  context.stats.writes += 1;
  const result = await context.store.update(update);
  context.stats.wcu += result.wcu;
  return result;
}

/** Puts a quarantine entry, counted. */
export async function putEntry(context: ApplyContext, entry: Item): Promise<void> {
  context.stats.writes += 1;
  const { wcu } = await context.store.put(entry);
  context.stats.wcu += wcu;
  context.stats.quarantined += 1;
  context.onQuarantine?.(entry);
}

/** The clock in whole seconds. */
export function epochSeconds(context: ApplyContext): number {
  return Math.floor(context.now() / 1000);
}

/** Waits, but not beyond the time budget. */
export async function waitWithin(context: ApplyContext, milliseconds: number): Promise<void> {
  if (milliseconds >= context.remainingMs()) throw new OutOfTimeError();
  await context.wait(milliseconds);
}

/**
 * Tries an action again while the store's failure is retryable and the time budget allows it. Then the store's failure is
 * thrown: it says more than that the time is over.
 */
export function retryingWithin<T>(
  context: ApplyContext,
  action: (attempt: number) => Promise<T>,
  isRetryable: (error: unknown) => boolean = isRetryableStoreError,
): Promise<T> {
  return retrying(action, {
    isRetryable,
    wait: async (milliseconds) => {
      if (milliseconds >= context.remainingMs()) return false;
      await context.wait(milliseconds);
      return true;
    },
    random: context.random,
  });
}
