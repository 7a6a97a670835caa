import pMap from 'p-map';
import { updateItem, waitWithin } from '../../apply/context.ts';
import { type Item, stringOf } from '../../items/attribute-value.ts';
import { COUNT, COUNTED, MODEL, REVISION, revisionOf, unchanged } from '../../items/derived-item.ts';
import { parseDerivedKey } from '../../items/derived-key.ts';
import { countNameOf, edgeIndexKey, hashedIndexPrefix } from '../../items/keys.ts';
import { countOf } from '../../items/stored-view.ts';
import { backoffMs } from '../../retry.ts';
import { queriedItems, readItem } from '../../store/pages.ts';
import type { DerivedUpdate, ItemKey, Store } from '../../store/port.ts';
import type { SettleContext } from './context.ts';

/** Items read at once where each is read by itself. */
const READS_AT_ONCE = 32;

/** The name of the count with a sort key, as the items that it counts hold it. */
export function countNameOfKey(sortKey: string): string {
  const { edgeType, generation } = parseDerivedKey(sortKey)!;
  return countNameOf(edgeType, generation);
}

/**
 * Counts one item after the other and writes the number. A Query may show the items as they were before a transaction whose
 * count GetItem shows already. So the count's revision is moved first, which no transaction that is under way lets happen, and
 * then each item is read by itself. The number is written if the revision is still that one.
 *
 * @param current the count as it was seen.
 * @param attempt number of this try: where the count has moved it waits for the next one, and gives false.
 */
export async function settledExactly(
  context: SettleContext,
  source: string,
  sortKey: string,
  current: Item | undefined,
  attempt: number,
): Promise<boolean> {
  const key = { source, target: sortKey };
  const moved = await updateItem(context, settledCountUpdate(context, key, current, countOf(current) ?? 0));
  // A malformed revision is a new one now, and is read anew.
  const isNumber = current?.[REVISION] === undefined || revisionOf(current) !== undefined;
  if (moved.applied && isNumber) {
    const fenced: Item = { ...current, [REVISION]: { N: String(Number(revisionOf(current) ?? 0) + 1) } };
    const live = await countExactly(context, key);
    if ((await updateItem(context, settledCountUpdate(context, key, fenced, live))).applied) return true;
  }
  await waitWithin(context, backoffMs(attempt, context.random));
  return false;
}

/** How many live items a count has to count: of those that a Query shows, live or not, and those that base edges want. */
async function countExactly(context: SettleContext, { source, target: countKey }: ItemKey): Promise<number> {
  const { store, graph } = context;
  const { edgeType, generation } = parseDerivedKey(countKey)!;
  const sortKeys = new Set<string>();
  const sortKeyOf = (item: Item): string => stringOf(item[graph.table.sortKey])!;
  for await (const item of itemsToCount(store, source, countKey)) sortKeys.add(sortKeyOf(item));
  const edges = queriedItems(store, { partition: source, sortKey: { beginsWith: `${edgeType}-` }, consistent: true });
  for await (const item of edges) sortKeys.add(edgeIndexKey(sortKeyOf(item), undefined, generation));
  const items = await pMap(sortKeys, (target) => readItem(context, { source, target }), { concurrency: READS_AT_ONCE });
  const name = countNameOf(edgeType, generation);
  return items.filter((item) => stringOf(item?.[COUNTED]) === name).length;
}

/** Index items among which those are that a count counts. */
export async function* itemsToCount(
  store: Pick<Store, 'query'>,
  source: string,
  countKey: string,
): AsyncGenerator<Item, void> {
  const { edgeType, generation } = parseDerivedKey(countKey)!;
  // Items of edges with long keys are named by a hash.
  for (const beginsWith of [edgeIndexKey(`${edgeType}-`, undefined, generation), hashedIndexPrefix(generation)]) {
    yield* queriedItems(store, { partition: source, sortKey: { beginsWith }, consistent: true });
  }
}

/** The update that sets a count, as it was seen, to what was counted. */
function settledCountUpdate(
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
