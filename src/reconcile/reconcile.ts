import type { Item } from '../core/items/attribute-value.ts';
import { readItem } from '../core/store-pages.ts';
import type { DerivedUpdate, ItemKey } from '../core/store-port.ts';
import { backoffMs } from '../foundation/retry.ts';
import { type ApplyContext, checkTime, updateItem, waitWithin } from './context.ts';

/**
 * To reconcile a derived item is to make it what its base items ask for, whatever the records said. The order is the rule: first
 * read what is there, then what should be there, both consistently, then write under the revision that was read. If the derived
 * item has changed meanwhile, the write fails, and all of it is repeated. So a write never brings a base item that is older than
 * the derived item that it replaces. If the base items were read first, an older state could replace a newer one: about one schedule in
 * a hundred shows it.
 */

/** One derived item to reconcile. */
export interface Reconciling<Expected> {
  key: ItemKey;
  /** The derived item, if it was read before; its `item` is undefined if there is none. */
  seen?: { item: Item | undefined } | undefined;
  /**
   * Reads the items that decide, and returns what they ask for. Called after the derived item is read, and again after each
   * conflict; `attempt` counts from 1.
   */
  expected: (actual: Item | undefined, attempt: number) => Expected | Promise<Expected>;
  /** Makes the update of the derived item, under the revision of `actual`; undefined if nothing is to be written. */
  update: (actual: Item | undefined, expected: Expected) => DerivedUpdate | undefined;
  /**
   * Carries out an update that takes more than one conditional update. Returns false if the derived item has changed: `reconcile` then
   * reads it again, because only a single update that fails returns the present item.
   */
  writeIfUnchanged?: ((update: DerivedUpdate, seen: Seen<Expected>) => Promise<boolean>) | undefined;
  /** True if a wait with backoff and jitter precedes each repetition. */
  backsOff?: boolean;
}

/** A derived item as it was read, and what is expected of it. */
interface Seen<Expected> {
  actual: Item | undefined;
  expected: Expected;
}

/** The last look at a reconciled item, and the update that was made; undefined if it was right already. */
export interface Reconciled<Expected> extends Seen<Expected> {
  update: DerivedUpdate | undefined;
}

/** Reconciles one derived item. Throws `OutOfTimeError` if the time ends before a write succeeds. */
export async function reconcile<Expected>(
  context: ApplyContext,
  one: Reconciling<Expected>,
): Promise<Reconciled<Expected>> {
  let known = one.seen;
  let done: Reconciled<Expected> | undefined;
  await reconcileAll<Reconciling<Expected>, Expected>(context, [one], {
    backsOff: one.backsOff ?? false,
    actual: async () => [known === undefined ? await readItem(context, one.key) : known.item],
    // rule: conflict-repeats-every-read
    expected: async (_ones, [actual], attempt) => [await one.expected(actual, attempt)],
    async writeAndReturnChanged([seen]) {
      // rule: derived-item-is-read-before-what-decides
      const { actual, expected } = seen!;
      const update = one.update(actual, expected);
      if (update !== undefined && one.writeIfUnchanged !== undefined) {
        known = undefined;
        if (!(await one.writeIfUnchanged(update, { actual, expected }))) return [one];
      } else if (update !== undefined) {
        const result = await updateItem(context, update);
        known = result.applied ? undefined : { item: result.current };
        if (!result.applied) return [one];
      }
      done = { actual, expected, update };
      return [];
    },
  });
  return done!;
}

/** How to reconcile several derived items with reads that they share. */
export interface ReconcilingAll<One, Expected> {
  /** Reads the derived items, parallel to `ones`. */
  actual: (ones: readonly One[], attempt: number) => Promise<readonly (Item | undefined)[]>;
  /** Reads the items that decide, and returns what they ask for, parallel to `ones`. Called after `actual`. */
  expected: (
    ones: readonly One[],
    actual: readonly (Item | undefined)[],
    attempt: number,
  ) => Promise<readonly Expected[]>;
  /** Writes each item under the revision that was read; returns those that have changed since. */
  writeAndReturnChanged: (seen: readonly (Seen<Expected> & { one: One })[]) => Promise<readonly One[]>;
  /** True if a wait with backoff and jitter precedes each repetition. */
  backsOff?: boolean;
}

/** Reconciles several derived items. Items that have changed meanwhile are read again, together with the items that decide. */
export async function reconcileAll<One, Expected>(
  context: ApplyContext,
  ones: readonly One[],
  { actual, expected, writeAndReturnChanged, backsOff = false }: ReconcilingAll<One, Expected>,
): Promise<void> {
  let open = ones;
  for (let attempt = 1; open.length > 0; attempt++) {
    if (attempt > 1 && backsOff) await waitWithin(context, backoffMs(attempt - 1, context.random));
    checkTime(context);
    const current = open;
    const items = await actual(current, attempt);
    const wanted = await expected(current, items, attempt);
    open = await writeAndReturnChanged(current.map((one, i) => ({ one, actual: items[i], expected: wanted[i]! })));
  }
}
