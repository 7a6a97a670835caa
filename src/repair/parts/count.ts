import { checkTime, updateItem } from '../../apply/context.ts';
import { type Item, sameValue, stringOf } from '../../items/attribute-value.ts';
import { COUNT, COUNTED, MODEL, REVISION, unchanged } from '../../items/derived-item.ts';
import { classifyDerivedKey, type DerivedKey } from '../../items/derived-key.ts';
import { countNameOf, degreeKey, edgeIndexKey, hashedIndexPrefix } from '../../items/keys.ts';
import { countOf } from '../../items/stored-view.ts';
import { type CompiledModel, type EdgeModel, layersOf } from '../../model/compiled.ts';
import { queriedItems, readItem } from '../../store/pages.ts';
import type { DerivedUpdate, Store } from '../../store/port.ts';
import type { SettleContext } from '../settle/context.ts';
import { oddities } from './form.ts';
import { hashed, type ItemKind, type ObserveContext, type Part, type PartKind, revisionOf } from './kind.ts';

/** How many counted edges of a type a node has. Its live index items decide, which come and go in one transaction with it. */
export const count: ItemKind = {
  name: 'count',
  decidedBy: 'partition',
  attributes: new Map([COUNT, MODEL].map((name) => [name, 'any'])),
  hasTombstones: false,
  // One that is no number is in the way of the items that it counts.
  mendOrder: 0,
  isKept: (graph, key) => layersOf(graph).some(({ edges }) => isCountOf(edges.get(key.edgeType), key)),
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

/** The number itself. */
export const countPart: PartKind<Extract<Part, { kind: 'count' }>> = {
  isContent: true,
  decidingKeys: () => [],
  async compare(context, { suspect: { source, sortKey }, derived }) {
    const { live, stored } = await countAtOnce(context, source, sortKey, derived);
    return { wanted: `a count of ${live}`, stored: `a count of ${countOf(stored) ?? 'nothing'}` };
  },
  // It has no base item of its own; its revision moves with each of the items that it counts.
  state: ({ derived }) => ({ revision: revisionOf(derived), base: hashed(revisionOf(derived) ?? '') }),
};

/** The name of the count with a sort key, as the items that it counts hold it. */
export function countNameOfKey(sortKey: string): string {
  const { edgeType, generation } = classifyDerivedKey(sortKey)!;
  return countNameOf(edgeType, generation);
}

function isCountOf(edge: EdgeModel | undefined, { generation }: DerivedKey): boolean {
  return edge?.degree === true && (edge.generation ?? 1) === generation;
}

/**
 * Settles the count of a node's edges of a type by its live index items. Each of them that comes or goes moves the count's
 * revision too, so a count is written only if none has since it was read.
 */
export async function settleCount(context: SettleContext, source: string, sortKey: string): Promise<void> {
  const name = countNameOfKey(sortKey);
  for (;;) {
    checkTime(context);
    const seen = await readItem(context, { source, target: sortKey });
    const { live, stored } = await countAtOnce(context, source, sortKey, seen);
    if (countOf(stored) === live && stored?.[context.graph.table.ttl] === undefined) return;
    const result = await updateItem(context, settledCountUpdate(context.graph, source, name, stored, live));
    if (result.applied) return;
  }
}

/** How often the items are counted while the count moves. */
const MOST_COUNTS = 5;

/**
 * A count and what it should be, of one moment: had an item come or gone while the items were counted, the count's revision
 * had moved. A count that is wrong must not pass because the items were counted a moment later.
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

/** How many live items a node's counted edges of a type have, by consistent reads. */
async function countLive(
  { store }: { store: Pick<Store, 'query'> },
  source: string,
  countKey: string,
): Promise<number> {
  const { edgeType, generation } = classifyDerivedKey(countKey)!;
  const name = countNameOf(edgeType, generation);
  let live = 0;
  // Items of edges with long keys are named by a hash.
  for (const beginsWith of [edgeIndexKey(`${edgeType}-`, undefined, generation), hashedIndexPrefix(generation)]) {
    const request = { partition: source, sortKey: { beginsWith }, consistent: true };
    for await (const item of queriedItems(store, request)) if (stringOf(item[COUNTED]) === name) live += 1;
  }
  return live;
}

/** The update that sets a count, as it was seen, to what was counted. */
function settledCountUpdate(
  graph: CompiledModel,
  source: string,
  countName: string,
  current: Item | undefined,
  count: number,
): DerivedUpdate {
  return {
    key: { source, target: degreeKey(countName) },
    set: { [MODEL]: { S: graph.fingerprint }, [COUNT]: { N: String(count) } },
    unset: [graph.table.ttl],
    condition: unchanged(current),
  };
}
