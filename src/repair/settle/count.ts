import pMap from 'p-map';
import { updateItem } from '../../apply/context.ts';
import { type Item, stringOf } from '../../items/attribute-value.ts';
import { COUNT, COUNTED, MODEL, REVISION, revisionOf, unchanged } from '../../items/derived-item.ts';
import { placesOfCount } from '../../model/projection/places.ts';
import { queriedItems, readItem } from '../../store/pages.ts';
import type { DerivedUpdate, ItemKey, Store } from '../../store/port.ts';
import type { SettleContext } from './context.ts';

/** Reads at once, if each item is read by itself. */
const READS_AT_ONCE = 32;

/**
 * Counts the items one by one and writes the number; false if the count has changed meanwhile. A Query may show items from before a
 * transaction whose count GetItem shows already. So the count's revision is changed first: that fails while a transaction is under
 * way. Then each item is read by itself. The number is written if the revision has not changed since.
 *
 * @param current the count as it was read.
 * @param move the update that only changes its revision.
 */
export async function countedExactly(
  context: SettleContext,
  current: Item | undefined,
  move: DerivedUpdate,
): Promise<boolean> {
  const { key } = move;
  const moved = await updateItem(context, move);
  // A malformed revision was replaced just now: the next attempt reads the new one.
  const isNumber = current?.[REVISION] === undefined || revisionOf(current) !== undefined;
  if (!moved.applied || !isNumber) return false;
  const fenced: Item = { ...current, [REVISION]: { N: String(Number(revisionOf(current) ?? 0) + 1) } };
  const live = await countExactly(context, key);
  return (await updateItem(context, settledCountUpdate(context, key, fenced, live))).applied;
}

/** Counts the live items of a count. It reads all items that a Query shows, live or not, and those that base edges ask for. */
async function countExactly(context: SettleContext, { source, target: countKey }: ItemKey): Promise<number> {
  const { store, graph } = context;
  const { name, edgeType, items: counted } = placesOfCount(countKey);
  const sortKeys = new Set<string>();
  const sortKeyOf = (item: Item): string => stringOf(item[graph.table.sortKey])!;
  for await (const item of itemsToCount(store, source, countKey)) sortKeys.add(sortKeyOf(item));
  const edges = queriedItems(store, { partition: source, sortKey: { beginsWith: `${edgeType}-` }, consistent: true });
  for await (const item of edges) sortKeys.add(counted.key(sortKeyOf(item)));
  const items = await pMap(sortKeys, (target) => readItem(context, { source, target }), { concurrency: READS_AT_ONCE });
  return items.filter((item) => stringOf(item?.[COUNTED]) === name).length;
}

/** The index items among which the counted ones are. */
export async function* itemsToCount(
  store: Pick<Store, 'query'>,
  source: string,
  countKey: string,
): AsyncGenerator<Item, void> {
  for (const beginsWith of placesOfCount(countKey).itemPrefixes) {
    yield* queriedItems(store, { partition: source, sortKey: { beginsWith }, consistent: true });
  }
}

/** Makes the update that sets a count to a number, under the revision that was read. */
export function settledCountUpdate(
  { graph }: SettleContext,
  key: ItemKey,
  current: Item | undefined,
  count: number,
): DerivedUpdate {
  return {
    key,
    set: { [MODEL]: { S: graph.fingerprint }, [COUNT]: { N: String(count) } },
    unset: [graph.table.ttl],
    condition: unchanged(current, graph.table.ttl),
  };
}
