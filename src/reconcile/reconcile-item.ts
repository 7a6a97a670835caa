import type { Item } from '../core/items/attribute-value.ts';
import { readItem } from '../core/store-pages.ts';
import type { DerivedUpdate, ItemKey } from '../core/store-port.ts';
import { backoffMs } from '../foundation/retry.ts';
import { type ApplyContext, checkTime, isTooLate, updateItem, waitWithin } from './apply-context.ts';

/**
 * For one derived item whose deciding items aren't named by its key: a view that is made whole, a count, a
 * continuation.
 */

export interface Reconciling<Expected> {
  key: ItemKey;
  seen?: { item: Item | undefined } | undefined;
  /** Called after the derived item is read, and again after each conflict. */
  expected: (actual: Item | undefined) => Expected | Promise<Expected>;
  update: (actual: Item | undefined, expected: Expected) => DerivedUpdate | undefined;
  /** Takes more than one conditional update. False if the derived item has changed. */
  writeIfUnchanged?: ((update: DerivedUpdate, seen: Seen<Expected>, readAtMs: number) => Promise<boolean>) | undefined;
  backsOff?: boolean;
}

interface Seen<Expected> {
  actual: Item | undefined;
  expected: Expected;
}

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
