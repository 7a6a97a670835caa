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
  /** Writes of derived items, those refused by their condition included. */
  writes: number;
  wcu: number;
  rcu: number;
  /** Writes that were refused because their derived item had changed since it was read. Each is repeated with new reads. */
  conflicts: number;
  /** Quarantine entries written, or refused by the table. */
  quarantined: number;
}

/** Returns the stats of a run that has done nothing yet. */
export function noStats(): ApplyStats {
  return { writes: 0, wcu: 0, rcu: 0, conflicts: 0, quarantined: 0 };
}

/** A derived item that the table refuses. */
export interface Refusal {
  touch: Touch;
  error: StoreError;
}

/** The values that reconciling derived items needs. */
export interface ApplyContext extends Runtime {
  graph: CompiledModel;
  store: Store;
  /** Called with each quarantine entry that was put, or refused, and with the derived item that it is about; absent: a base item. */
  onQuarantine?: (entry: Item, isRefused: boolean, refusal?: Refusal) => void;
  /** Reverse items in one page of a fan-out. */
  fanOutPageSize?: number;
  /** Keys (`textOfKey`) that this batch has reconciled, for a view those of its edges: fan-outs of the batch's records leave them out. */
  reconciled?: ReadonlySet<string>;
  /** True if other items of the batch were reconciled before, so that no step is begun where no time is left. */
  hasBegun?: boolean;
  /** Calls in flight at once. Default 32. */
  concurrency?: number;
  /** When `graph` was read, if writes rest on that read too. */
  modelReadAtMs?: number;
  /** The model of the registry as it is now, for a repair that ends fan-outs. */
  model?: WriterModel | undefined;
  stats: ApplyStats;
}

/** Calls in flight at once where the context does not say. */
export const CALLS_AT_ONCE = 32;

/** The batch's time ended before an item was reconciled; its records are reported as not processed. */
export class OutOfTimeError extends EdgeloomError {
  constructor() {
    super(
      'out-of-time',
      'The time budget of the batch ended before all items were reconciled.',
      'They will be retried.',
    );
  }
}

/** Throws `OutOfTimeError` if no time is left to start another call. */
export function checkTime(context: ApplyContext): void {
  if (context.remainingMs() <= 0) throw new OutOfTimeError();
}

/** What writes rest on. */
export interface Resting {
  /** When the oldest of the reads was made. */
  readAtMs: number;
  /** True if the writes are sent where the batch has no time left, too: a call with hardly any time gets on all the same. */
  isFirst?: boolean;
}

/**
 * Says how long writes may still be sent that rest on reads made at a time. A process that was suspended in between has to read again: a
 * tombstone, or a revision, that its read rests on may be gone.
 */
export function sendingWithin(context: ApplyContext, { readAtMs, isFirst = false }: Resting): () => number {
  const restsOnMs = Math.min(readAtMs, context.modelReadAtMs ?? readAtMs);
  // rule: no-write-long-after-its-read
  return () => Math.min(Math.max(isFirst ? 1 : 0, context.remainingMs()), restsOnMs + SEND_WITHIN_MS - context.now());
}

/** Tells whether a write that rests on reads made at a time may not be sent any more, because that was too long ago. */
export function isTooLate(context: ApplyContext, readAtMs: number): boolean {
  return sendingWithin(context, { readAtMs, isFirst: true })() <= 0;
}

/** Throws `OutOfTimeError` if a write may not be sent any more that rests on reads made at a time: its batch comes again. */
export function checkSending(context: ApplyContext, readAtMs: number): void {
  if (isTooLate(context, readAtMs)) throw new OutOfTimeError();
}

/** Makes one conditional update, and counts it. */
export async function updateItem(context: ApplyContext, update: DerivedUpdate): Promise<UpdateResult> {
  context.stats.writes += 1;
  const result = await context.store.update(update);
  context.stats.wcu += result.wcu;
  if (!result.applied) context.stats.conflicts += 1;
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
