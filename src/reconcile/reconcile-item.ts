import type { Item } from '../core/items/attribute-value.ts';
import { readItem } from '../core/store-pages.ts';
import type { DerivedUpdate, ItemKey } from '../core/store-port.ts';
import { backoffMs } from '../foundation/retry.ts';
import { type ApplyContext, checkTime, isTooLate, updateItem, waitWithin } from './apply-context.ts';

/**
 * The loop of `reconcileTouches` for one derived item whose deciding items aren't named by its key: a view that is made
 * whole, a count, a continuation.
 */

export interface Reconciling<Expected> {
  key: ItemKey;
  /** If it was read before; its `item` is undefined if there is none. */
  seen?: { item: Item | undefined } | undefined;
  /** Reads the items that decide. Called after the derived item is read, and again after each conflict. */
  expected: (actual: Item | undefined) => Expected | Promise<Expected>;
  /** Undefined if nothing is to be written. */
  update: (actual: Item | undefined, expected: Expected) => DerivedUpdate | undefined;
  /** Carries out an update that takes more than one conditional update. False if the derived item has changed. */
  writeIfUnchanged?: ((update: DerivedUpdate, seen: Seen<Expected>, readAtMs: number) => Promise<boolean>) | undefined;
  /** Waits with backoff and jitter before each repetition. */
  backsOff?: boolean;
}

interface Seen<Expected> {
  actual: Item | undefined;
  expected: Expected;
}

/** `update` is undefined if the item was right already. */
export interface Reconciled<Expected> extends Seen<Expected> {
  update: DerivedUpdate | undefined;
}

/** Throws `OutOfTimeError` if the time ends before a write succeeds. */
export async function reconcileItem<Expected>(
  context: ApplyContext,
  { key, seen: known, expected, update: updateOf, writeIfUnchanged, backsOff = false }: Reconciling<Expected>,
): Promise<Reconciled<Expected>> {
  let ahead = known;
  let readAtMs = context.now();
  for (let attempt = 1; ; attempt++) {
    if (attempt > 1 && backsOff) await waitWithin(context, backoffMs(attempt - 1, context.random));
    checkTime(context);
    if (ahead === undefined) readAtMs = context.now();
    const actual = ahead === undefined ? await readItem(context, key) : ahead.item;
    const seen = { actual, expected: await expected(actual) };
    const update = updateOf(actual, seen.expected);
    if (update === undefined) return { ...seen, update };
    ahead = undefined;
    if (writeIfUnchanged !== undefined) {
      if (await writeIfUnchanged(update, seen, readAtMs)) return { ...seen, update };
      continue;
    }
    // A process that was suspended since reads again.
    if (isTooLate(context, readAtMs)) continue;
    const sentAtMs = context.now();
    const result = await updateItem(context, update);
    if (result.applied) return { ...seen, update };
    ahead = { item: result.current };
    readAtMs = sentAtMs;
  }
}
