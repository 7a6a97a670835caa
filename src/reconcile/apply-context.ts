import type { Item } from '../core/items/attribute-value.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import type { Touch } from '../core/plan/touch.ts';
import type { DerivedUpdate, Store, UpdateResult } from '../core/store-port.ts';
import { EdgeloomError, isRetryableStoreError, type StoreError } from '../foundation/errors.ts';
import { SEND_WITHIN_MS } from '../foundation/late-writes.ts';
import { retrying } from '../foundation/retry.ts';
import type { Runtime } from '../foundation/runtime.ts';
import type { WriterModel } from '../registry/writer-model.ts';

/** The costs and counts of a run so far. */
export interface ApplyStats {
  /** Conditional writes of derived items, including refused ones. A transaction counts once. */
  writes: number;
  wcu: number;
  rcu: number;
  /** Items whose write was refused because they, or others of their transaction, had changed since they were read. */
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
   * Called with each quarantine entry that was put or refused. `refusal` has the derived item; without it, the entry is
   * about a base item.
   */
  onQuarantine?: (entry: Item, isRefused: boolean, refusal?: Refusal) => void;
  fanOutPageSize?: number;
  /**
   * Keys (`textOfKey`) that this batch has reconciled, which its fan-outs skip. For a view, these are the keys of its
   * edges.
   */
  reconciled?: ReadonlySet<string>;
  hasBegun?: boolean;
  concurrency?: number;
  /** When `graph` was read; writes based on it expire `SEND_WITHIN_MS` later. */
  modelReadAtMs?: number;
  /** Reads the registry's current model, for `removeAlien`. */
  model?: WriterModel | undefined;
  stats: ApplyStats;
}

export const CALLS_AT_ONCE = 32;

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

export interface Resting {
  readAtMs: number;
  /** True if writes are sent even without time left, so that each call makes progress. */
  isFirst?: boolean;
}

/**
 * Returns a function that returns the milliseconds left to send writes. A process that was suspended has to read again,
 * because a tombstone or revision that it has read may be gone.
 */
export function sendingWithin(context: ApplyContext, { readAtMs, isFirst = false }: Resting): () => number {
  const restsOnMs = Math.min(readAtMs, context.modelReadAtMs ?? readAtMs);
  // rule: no-write-long-after-its-read
  return () => Math.min(Math.max(isFirst ? 1 : 0, context.remainingMs()), restsOnMs + SEND_WITHIN_MS - context.now());
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
