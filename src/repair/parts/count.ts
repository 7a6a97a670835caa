import { reconcile } from '../../apply/reconcile.ts';
import { type Item, sameValue, stringOf } from '../../items/attribute-value.ts';
import { COUNT, COUNTED, MODEL, REVISION, revisionOf } from '../../items/derived-item.ts';
import { countOf } from '../../items/stored-view.ts';
import { placesOfCount } from '../../model/projection/places.ts';
import { isKeptCount } from '../../plan/counted.ts';
import type { Store } from '../../store/port.ts';
import type { SettleContext } from '../settle/context.ts';
import { countedExactly, itemsToCount, settledCountUpdate } from '../settle/count.ts';
import { oddities } from './form.ts';
import { hashed, type ItemKind, type ObserveContext, type Part, type PartKind } from './kind.ts';

/**
 * The number of a node's counted edges of a type. The live index items of these edges decide about it: each of them is written in
 * one transaction with the count.
 */
export const count: ItemKind = {
  name: 'count',
  decidedBy: 'partition',
  attributes: new Map([COUNT, MODEL].map((name) => [name, 'any'])),
  hasTombstones: false,
  // Counts are repaired first: a malformed one blocks the writes of the items that it counts.
  mendOrder: 0,
  isKept: (graph, _key, sortKey) => isKeptCount(graph, sortKey),
  isLive: (item) => item !== undefined,
  oddities: (context, item) => {
    const parts = oddities(count, context, item);
    return countOf(item) === undefined ? [...parts, { kind: 'count' }] : parts;
  },
  async mend(context, { source, target }) {
    await settleCount(context, source, target);
    return true;
  },
};

/** The number in a count. */
export const countPart: PartKind<Extract<Part, { kind: 'count' }>> = {
  isContent: true,
  decidingKeys: () => [],
  async compare(context, { suspect: { source, sortKey }, derived }) {
    const { live, stored } = await countAtOnce(context, source, sortKey, derived);
    return { wanted: `a count of ${live}`, stored: `a count of ${countOf(stored) ?? 'nothing'}` };
  },
  // A count has no base item. Its revision changes with each of the items that it counts.
  state: ({ derived }) => ({ revision: revisionOf(derived), base: hashed(revisionOf(derived) ?? '') }),
};

/**
 * Reconciles the count of a node's edges of a type with its live index items. Each index item that appears or disappears changes
 * the count's revision too, in one transaction. A Query may run during a transaction and prove nothing: its result is trusted only
 * if it equals the count. Else each item is read by itself.
 */
export async function settleCount(context: SettleContext, source: string, sortKey: string): Promise<void> {
  const key = { source, target: sortKey };
  await reconcile(context, {
    key,
    expected: (seen) => countAtOnce(context, source, sortKey, seen),
    update(_seen, { live, stored }) {
      if (countOf(stored) === live && stored?.[context.graph.table.ttl] === undefined) return undefined;
      return settledCountUpdate(context, key, stored, countOf(stored) ?? 0);
    },
    write: (move, { expected: { stored } }) => countedExactly(context, stored, move),
    backsOff: true,
  });
}

/** How often the items are counted again while the count changes. */
const MOST_COUNTS = 5;

/**
 * Returns a count, and the number of its items at the same time. If an item had appeared or disappeared during the counting, the
 * count's revision would have changed. Without this comparison a wrong count could pass because the items were counted a moment
 * later.
 */
async function countAtOnce(
  { store }: Pick<ObserveContext, 'store'>,
  source: string,
  sortKey: string,
  seen: Item | undefined,
): Promise<{ live: number; stored: Item | undefined }> {
  let stored = seen;
  for (let attempt = 1; ; attempt++) {
    const live = await countLive({ store }, source, sortKey);
    const [again] = (await store.getMany([{ source, target: sortKey }], { consistent: true })).items;
    if (attempt === MOST_COUNTS || sameValue(stored?.[REVISION], again?.[REVISION])) return { live, stored };
    stored = again;
  }
}

/** Counts the live items of a node's counted edges of a type, with a consistent Query. */
async function countLive(reader: { store: Pick<Store, 'query'> }, source: string, countKey: string): Promise<number> {
  const { name } = placesOfCount(countKey);
  let live = 0;
  for await (const item of itemsToCount(reader.store, source, countKey))
    if (stringOf(item[COUNTED]) === name) live += 1;
  return live;
}
