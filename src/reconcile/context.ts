import type { Item } from '../core/items/attribute-value.ts';
import { textOfKey } from '../core/items/keys.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import type { DerivedUpdate, ItemKey, Store, UpdateResult } from '../core/store-port.ts';
import { EdgeloomError, isRetryableStoreError } from '../foundation/errors.ts';
import { retrying } from '../foundation/retry.ts';
import type { Runtime } from '../foundation/runtime.ts';
import type { EvictedViews } from './evicted-views.ts';
import type { MayRepair } from './repair.ts';

/** The costs and counts of a batch so far. */
export interface ApplyStats {
  /** Update calls to derived items and puts of quarantine entries, including those with a failed condition. */
  writes: number;
  wcu: number;
  rcu: number;
  /** Units with records that are not newer than the derived item's watermark. */
  stale: number;
  /** Stale changes that contradict the derived item. Each is reconciled with a read of the base item. */
  contradictions: number;
  /** Quarantine entries written, or refused by the table. */
  quarantined: number;
}

/** The values that applying a unit, or reconciling an item, needs. */
export interface ApplyContext extends Runtime, MayRepair {
  graph: CompiledModel;
  store: Store;
  /** Called with each quarantine entry that was put, or refused. */
  onQuarantine?: (entry: Item, isRefused: boolean) => void;
  /** Reverse items in one page of a fan-out. */
  fanOutPageSize?: number;
  /** The edge types that views were last seen without; batches share it. */
  evicted?: EvictedViews;
  /** Joined items that this batch has reconciled, by `textOfKey`. Their edge and source node were read for that. */
  settled?: Set<string>;
  /** The derived items that this batch has tried to write in a table without a registry, by `textOfKey`. */
  written?: Map<string, ItemKey> | undefined;
  stats: ApplyStats;
}

/** The batch's time ended before a unit was applied; the unit is reported as not processed. */
export class OutOfTimeError extends EdgeloomError {
  constructor() {
    super('out-of-time', 'The time budget of the batch ended before all units were applied.', 'They will be retried.');
  }
}

/** Throws `OutOfTimeError` if no time is left to start another call. */
export function checkTime(context: ApplyContext): void {
  if (context.remainingMs() <= 0) throw new OutOfTimeError();
}

/** Notes the items that updates are about to write. */
export function noteWritten({ written }: ApplyContext, updates: readonly DerivedUpdate[]): void {
  if (written === undefined) return;
  for (const { key } of updates) written.set(textOfKey(key), key);
}

/** Makes one conditional update, and counts it. */
export async function updateItem(context: ApplyContext, update: DerivedUpdate): Promise<UpdateResult> {
  noteWritten(context, [update]);
  context.stats.writes += 1;
  const result = await context.store.update(update);
  context.stats.wcu += result.wcu;
  return result;
}

/** Returns the clock's time in whole seconds. */
export function epochSeconds(context: ApplyContext): number {
  return Math.floor(context.now() / 1000);
}

/** Waits the whole time. Throws `OutOfTimeError` at once, without a wait, if the time budget would end before the wait does. */
export async function waitWithin(context: ApplyContext, milliseconds: number): Promise<void> {
  if (milliseconds >= context.remainingMs()) throw new OutOfTimeError();
  await context.wait(milliseconds);
}

/**
 * Repeats an action while the store's error is retryable and time is left. Then it throws the store's error, which says more than
 * an error about the time.
 */
export function retryingWithin<T>(
  context: Runtime,
  action: (attempt: number) => Promise<T>,
  isRetryable: (error: unknown) => boolean = isRetryableStoreError,
): Promise<T> {
  const { wait, random, remainingMs } = context;
  return retrying(action, { isRetryable, wait, random, remainingMs });
}
