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
import { type ApplyContext, checkSending, isTooLate, updateItem } from './apply-context.ts';
import { type ItemTask, itemTask } from './ways.ts';

/** Limits the removals per update, because an expression may have at most 4 KB. The next check removes the rest. */
const MOST_REMOVED = 100;
const READS_AT_ONCE = 32;

/**
 * Trusts a Query only if its result equals the count, because a Query during a transaction may show only part of it.
 * Otherwise reads each item by itself.
 */
export function countTask(key: ItemKey): ItemTask {
  return itemTask(key, async (context, seen) => {
    const { live, stored } = await readCountWithItems(context, key.source, key.target, seen);
    const amounts = soundAmounts(stored);
    const isRight = amounts !== undefined && sameAmounts(amounts, live);
    if (isRight && stored?.[context.graph.table.ttl] === undefined) return undefined;
    const update = countUpdate(context, key, stored, amounts ?? new Map());
    return { update, write: (readAtMs) => writeExactCount(context, stored, update, readAtMs) };
  });
}

/**
 * A Query may show items from before a transaction whose count is already visible. So this first raises the count's
 * revision, which fails while a transaction is under way, and then reads each item by itself. Returns false if the
 * caller has to try again.
 *
 * @param move writes the stored amounts again (0 if they are damaged), under a new revision.
 */
async function writeExactCount(
  context: ApplyContext,
  current: Item | undefined,
  move: DerivedUpdate,
  readAtMs: number,
): Promise<boolean> {
  const { key } = move;
  if (isTooLate(context, readAtMs)) return false;
  const movedAtMs = context.now();
  // rule: count-moves-before-its-items-are-read, first
  const moved = await updateItem(context, move);
  // If the revision was malformed, this write has replaced it, and the next attempt reads the new one.
  const isNumber = current?.[REVISION] === undefined || revisionOf(current) !== undefined;
  if (!moved.applied || !isNumber) return false;
  const afterMove: Item = { ...current, ...move.set, [REVISION]: { N: String(Number(revisionOf(current) ?? 0) + 1) } };
  for (const name of move.unset) delete afterMove[name];
  // rule: count-moves-before-its-items-are-read, then
  const amounts = await countExactly(context, key);
  checkSending(context, movedAtMs);
  // rule: count-is-repaired-under-its-revision
  return (await updateItem(context, countUpdate(context, key, afterMove, amounts))).applied;
}

async function countExactly(context: ApplyContext, { source, target: countKey }: ItemKey): Promise<Amounts> {
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

function countUpdate(
  { graph }: ApplyContext,
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
