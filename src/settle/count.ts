import pMap from 'p-map';
import { type Item, stringOf } from '../core/items/attribute-value.ts';
import { COUNT, MODEL, REVISION, revisionOf, unchangedCondition } from '../core/items/derived-item.ts';
import {
  type Amounts,
  addAmounts,
  amountsOf,
  groupValuesByAttribute,
  isAmountAttribute,
  sameAmounts,
  soundAmounts,
} from '../core/items/ledger.ts';
import { textOfUnits } from '../core/items/units.ts';
import { itemsToCount, readCountWithItems } from '../core/kinds/count.ts';
import { CountPlaces, placesOfCount } from '../core/model/projection/places.ts';
import { queriedItems, readItem } from '../core/store-pages.ts';
import type { DerivedUpdate, ItemKey } from '../core/store-port.ts';
import { updateItem } from './context.ts';
import { reconcile } from './reconcile.ts';
import type { SettleContext } from './repair.ts';

/** The most numbers that one update removes: its expression has room for 4 KB. A check finds the rest. */
const MOST_REMOVED = 100;
/** Reads at once, if each item is read by itself. */
const READS_AT_ONCE = 32;

/**
 * Reconciles the count of a node's edges of a type with its live index items. Each index item that appears or disappears changes
 * the count's revision too, in one transaction. A Query may run during a transaction and prove nothing: its result is trusted only
 * if it equals the count. Else each item is read by itself.
 */
export async function reconcileCount(context: SettleContext, source: string, sortKey: string): Promise<void> {
  const key = { source, target: sortKey };
  await reconcile(context, {
    key,
    expected: (seen) => readCountWithItems(context, source, sortKey, seen),
    update(_seen, { live, stored }) {
      const amounts = soundAmounts(stored);
      const isRight = amounts !== undefined && sameAmounts(amounts, live);
      if (isRight && stored?.[context.graph.table.ttl] === undefined) return undefined;
      return countUpdate(context, key, stored, amounts ?? new Map());
    },
    writeIfUnchanged: (move, { expected: { stored } }) => writeExactCount(context, stored, move),
    backsOff: true,
  });
}

/**
 * Counts the items one by one and writes the numbers; false if the count has changed meanwhile. A Query may show items from before a
 * transaction whose count GetItem shows already. So the count's revision is changed first: that fails while a transaction is under
 * way. Then each item is read by itself. The numbers are written if the revision has not changed since.
 *
 * @param current the count as it was read.
 * @param move the update that only changes its revision.
 */
async function writeExactCount(
  context: SettleContext,
  current: Item | undefined,
  move: DerivedUpdate,
): Promise<boolean> {
  const { key } = move;
  // rule: count-moves-before-its-items-are-read, first
  const moved = await updateItem(context, move);
  // A malformed revision was replaced just now: the next attempt reads the new one.
  const isNumber = current?.[REVISION] === undefined || revisionOf(current) !== undefined;
  if (!moved.applied || !isNumber) return false;
  const fenced: Item = { ...current, ...move.set, [REVISION]: { N: String(Number(revisionOf(current) ?? 0) + 1) } };
  // rule: count-moves-before-its-items-are-read, then
  const amounts = await countExactly(context, key);
  // rule: count-is-repaired-under-its-revision
  return (await updateItem(context, countUpdate(context, key, fenced, amounts))).applied;
}

/**
 * Adds up the live items of a count. It reads each of them by its key. A consistent Query of the partition names the items, live or not.
 * For a count of edges that leave the node, its base edges name items too.
 */
async function countExactly(context: SettleContext, { source, target: countKey }: ItemKey): Promise<Amounts> {
  const { store, graph } = context;
  const places = placesOfCount(countKey);
  const sortKeys = new Set<string>();
  const sortKeyOf = (item: Item): string => stringOf(item[graph.table.sortKey])!;
  for await (const item of itemsToCount(store, source, countKey)) sortKeys.add(sortKeyOf(item));
  if (places instanceof CountPlaces) {
    const beginsWith = `${places.edgeType}-`;
    const edges = queriedItems(store, { partition: source, sortKey: { beginsWith }, consistent: true });
    for await (const item of edges) sortKeys.add(places.itemKey({ target: sortKeyOf(item) }));
  }
  const items = await pMap(sortKeys, (target) => readItem(context, { source, target }), { concurrency: READS_AT_ONCE });
  const amounts: Amounts = new Map();
  for (const item of items) addAmounts(amounts, amountsOf(item, places.name));
  return amounts;
}

/** Makes the update that sets a count to its numbers, under the revision that was read; other numbers in it are removed. */
function countUpdate(
  { graph }: SettleContext,
  key: ItemKey,
  current: Item | undefined,
  amounts: Amounts,
): DerivedUpdate {
  const set: Item = { [MODEL]: { S: graph.fingerprint }, [COUNT]: { N: '0' } };
  for (const [attribute, units] of amounts) {
    if (units !== 0n || attribute === COUNT) set[attribute] = { N: textOfUnits(units) };
  }
  for (const [attribute, texts] of Object.entries(groupValuesByAttribute(amounts))) set[attribute] = { SS: texts };
  const left = Object.keys(current ?? {})
    .filter((name) => isAmountAttribute(name) && set[name] === undefined)
    .slice(0, MOST_REMOVED);
  return { key, set, unset: [graph.table.ttl, ...left], condition: unchangedCondition(current, graph.table.ttl) };
}
