import { checkTime, updateItem } from '../../apply/context.ts';
import { type Item, numberOf, stringOf } from '../../items/attribute-value.ts';
import { COUNT, COUNTED, MODEL, REVISION } from '../../items/derived-item.ts';
import { classifyDerivedKey, type DerivedKey } from '../../items/derived-key.ts';
import { countNameOf, degreeKey, edgeIndexKey, hashedIndexPrefix } from '../../items/keys.ts';
import { countOf } from '../../items/stored-view.ts';
import { type CompiledModel, type EdgeModel, layersOf } from '../../model/compiled.ts';
import { queriedItems, readItem } from '../../store/pages.ts';
import type { DerivedUpdate, Store } from '../../store/port.ts';
import type { SettleContext } from '../settle/context.ts';
import { hashed, type ItemKind, type Part, type PartKind, revisionOf } from './kind.ts';

const NONE: readonly Part[] = [];
const MALFORMED: readonly Part[] = [{ kind: 'count' }];

/** How many counted edges of a type a node has. Its live index items decide, which come and go in one transaction with it. */
export const count: ItemKind = {
  name: 'count',
  decidedBy: 'partition',
  hasTombstones: false,
  // One that is no number is in the way of the items that it counts.
  mendOrder: 0,
  isKept: (graph, key) => layersOf(graph).some(({ edges }) => isCountOf(edges.get(key.edgeType), key)),
  isLive: () => false,
  oddities: (_context, item) => (countOf(item) === undefined ? MALFORMED : NONE),
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
    const live = await countLive(context, source, sortKey);
    return { wanted: `a count of ${live}`, stored: `a count of ${countOf(derived) ?? 'nothing'}` };
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
async function settleCount(context: SettleContext, source: string, sortKey: string): Promise<void> {
  const name = countNameOfKey(sortKey);
  for (;;) {
    checkTime(context);
    const current = await readItem(context, { source, target: sortKey });
    const live = await countLive(context, source, sortKey);
    if (countOf(current) === live) return;
    const result = await updateItem(context, settledCountUpdate(context.graph, source, name, current, live));
    if (result.applied) return;
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
    condition: { kind: 'revision', revision: numberOf(current?.[REVISION]) },
  };
}
