import type { Item } from '../core/items/attribute-value.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import type { Touch } from '../core/plan/touch.ts';
import type { DerivedUpdate, Store, UpdateResult } from '../core/store-port.ts';
import { EdgeloomError, isRetryableStoreError, type StoreError } from '../foundation/errors.ts';
import { SEND_WITHIN_MS } from '../foundation/late-writes.ts';
import { retrying } from '../foundation/retry.ts';
import type { Runtime } from '../foundation/runtime.ts';
import type { WriterModel } from '../registry/writer-model.ts';

/** Consumed capacity units and counts of a run. */
export interface ApplyStats {
  /** Conditional writes of derived items, even if the condition failed. A transaction counts once. */
  writes: number;
  wcu: number;
  rcu: number;
  /** Items whose write failed because the item, or another of its transaction, had changed since it was read. */
  conflicts: number;
  /** Quarantine entries written, or refused by the table. */
  quarantined: number;
}

export function noStats(): ApplyStats {
  return { writes: 0, wcu: 0, rcu: 0, conflicts: 0, quarantined: 0 };
}

export interface Refusal {
  touch: Touch;
  error: StoreError;
}

export interface ApplyContext extends Runtime {
  graph: CompiledModel;
  store: Store;
  /**
   * Called for each quarantine entry, written or refused by the table. `refusal` is only set if the entry is about a
   * derived item.
   */
  onQuarantine?: (entry: Item, isRefused: boolean, refusal?: Refusal) => void;
  fanOutPageSize?: number;
  /**
   * Keys (`textOfKey`) that this batch has already reconciled, so its fan-outs skip them; for a view, the keys of its
   * edges.
   */
  reconciled?: ReadonlySet<string>;
  hasBegun?: boolean;
  concurrency?: number;
  /** When `graph` was read. Writes planned with it are only sent within `SEND_WITHIN_MS`. */
  modelReadAtMs?: number;
  model?: WriterModel | undefined;
  stats: ApplyStats;
}

export const RECONCILE_CALLS_AT_ONCE = 32;

export class OutOfTimeError extends EdgeloomError {
  constructor() {
    super(
      'out-of-time',
      'The time budget of the batch ended before all items were reconciled.',
      'They will be retried.',
    );
  }
}

export function checkTime(context: ApplyContext): void {
  if (context.remainingMs() <= 0) throw new OutOfTimeError();
}

export interface ReadAge {
  readAtMs: number;
  /** Sends writes even without time left, so that each call makes progress. */
  isFirst?: boolean;
}

/** A process suspended for too long has to read again, because a tombstone or revision that it read may be gone. */
export function sendingWithin(context: ApplyContext, { readAtMs, isFirst = false }: ReadAge): () => number {
  const oldestReadMs = Math.min(readAtMs, context.modelReadAtMs ?? readAtMs);
  // rule: no-write-long-after-its-read
  return () =>
    Math.min(Math.max(isFirst ? 1 : 0, context.remainingMs()), oldestReadMs + SEND_WITHIN_MS - context.now());
}

export function isTooLate(context: ApplyContext, readAtMs: number): boolean {
  return sendingWithin(context, { readAtMs, isFirst: true })() <= 0;
}

export function checkSending(context: ApplyContext, readAtMs: number): void {
  if (isTooLate(context, readAtMs)) throw new OutOfTimeError();
}

export async function updateItem(context: ApplyContext, update: DerivedUpdate): Promise<UpdateResult> {
  context.stats.writes += 1;
  const result = await context.store.update(update);
  context.stats.wcu += result.wcu;
  if (!result.applied) context.stats.conflicts += 1;
  return result;
}

export function epochSeconds(context: ApplyContext): number {
  return Math.floor(context.now() / 1000);
}

export function retryingWithin<T>(
  context: Runtime,
  action: (attempt: number) => Promise<T>,
  isRetryable: (error: unknown) => boolean = isRetryableStoreError,
): Promise<T> {
  const { wait, random, remainingMs } = context;
  return retrying(action, { isRetryable, wait, random, remainingMs });
}
