import pMap from 'p-map';
import { parseNodeId, VIEW_KEY } from '../../core/items/keys.ts';
import { isMaintained, itemKindOf, kindOfDerivedKey } from '../../core/kinds/all-kinds.ts';
import { possibleEdgeOfReverse } from '../../core/kinds/reverse-item.ts';
import { isOfOtherShape } from '../../core/kinds/view.ts';
import { classifyKey } from '../../core/model/base-item.ts';
import { isItemThere } from '../../core/model/gone.ts';
import { isBaseSortKey } from '../../core/plan/stream-filter.ts';
import { entryTouch, itemTouch, viewTouch } from '../../core/plan/touch.ts';
import { hasExpectedFields } from '../../core/plan/writes/item-update.ts';
import { readItems } from '../../core/store-pages.ts';
import type { ItemKey } from '../../core/store-port.ts';
import { slicesOf } from '../../foundation/for-each.ts';
import type { ApplyContext } from '../../reconcile/apply-context.ts';
import { reconcileNamed, unqueriedBase } from '../../reconcile/named-item.ts';
import { reconcileOrThrow } from '../../reconcile/reconcile.ts';
import { ownershipTest } from '../../registry/ownership.ts';
import type { SeenState } from '../../registry/transitions.ts';
import type { WalkedItem, WalkPlace } from '../../store/table-walk.ts';
import { repairItem } from '../../trust/repair/repairs.ts';
import {
  type ExpectedItem,
  expectedItemsOf,
  keyOfExpected,
  readExpectedItems,
  readSourceNodes,
} from './expected-items.ts';
import { type EndingContext, endUnneededFanOuts } from './fan-outs.ts';
import { itemsLeftOut, LeftOutItems } from './left-out-items.ts';
import { type WalkOptions, walk } from './walk.ts';

export interface BuildContext extends EndingContext {
  store: ApplyContext['store'] & WalkOptions['store'];
  segments: number;
  pageItems?: WalkOptions['pageItems'];
  onProgress?: (items: number) => void;
  onVisited?: WalkOptions['onVisited'];
  acceptsLeftOut: boolean;
  /**
   * Throws if another run has changed the generations that are built. Called at least once per page, after reading it.
   */
  checkStates: () => Promise<void>;
  isOver: () => boolean;
  begunAt?: WalkPlace | undefined;
}

const READ_KEYS = 100;

/**
 * Writes expected items, and removes items that no base item asks for, left by a writer without the registry or by a
 * gap in the stream. Throws `items-left-out` at the end if base items can't be built and that isn't accepted, since
 * readers would silently miss them. If it is accepted, these base items get a quarantine entry.
 */
export async function backfill(
  context: BuildContext,
  generations: readonly SeenState[],
): Promise<WalkPlace | undefined> {
  const isOwn = ownershipTest(generations);
  const stays = (item: WalkedItem): boolean => !isOwn(item) || isMaintained(context.graph, item.target);
  const leftOut = new LeftOutItems();
  const place = await walk({ ...context, stays }, async (items) => {
    // rule: backfill-removes-strays
    await reconcileStrays(context, items, isOwn);
    const nodes = await readSourceNodes(context, items);
    const faulty: ItemKey[] = [];
    const expected = items.flatMap((item) =>
      expectedItemsOf(context.graph, item, nodes, (base, problems) => {
        leftOut.add(base, problems);
        faulty.push(base);
      }),
    );
    for (const chunk of slicesOf(expected, READ_KEYS)) {
      const stored = await readItems(context, chunk.map(keyOfExpected));
      const differing = chunk.filter(({ fields }, i) => !hasExpectedFields(stored[i], fields));
      const touches = differing.map((one) => itemTouch(keyOfExpected(one), one.base));
      await reconcileOrThrow(context, touches, { isScan: true });
    }
    if (context.acceptsLeftOut) await reconcileOrThrow(context, faulty.map(entryTouch), { isScan: true });
    return true;
  });
  // If the walk stops early, `found` covers only this call's items.
  const { found } = leftOut;
  if (found !== undefined && !context.acceptsLeftOut) throw itemsLeftOut(found);
  return place;
}

/**
 * Recounts counts of the first generation, because writers that don't know the registry, and whose model has no count,
 * haven't updated them.
 */
async function reconcileStrays(
  context: BuildContext,
  items: readonly WalkedItem[],
  isOwn: (item: WalkedItem) => boolean,
): Promise<void> {
  const derived = items.filter(isOwn);
  if (derived.length === 0) return;
  const nodes = await readSourceNodes(context, items);
  const expected = new Set(items.flatMap((item) => expectedItemsOf(context.graph, item, nodes)).map(textOfIndexKey));
  const reconcileStray = async ({ source, target, item }: WalkedItem): Promise<void> => {
    const { key, kind } = kindOfDerivedKey(target)!;
    // rule: counts-of-the-first-generation-are-counted-again
    if (!kind.hasBase && key.generation !== 1) return;
    if (kind.hasBase) {
      if (!kind.isLive(item) || expected.has(textOfIndexKey({ source, sortKey: target }))) return;
      // The base item may be on another page.
      const base = unqueriedBase(context.graph, { source, target }, item);
      const read = base === undefined ? [] : await readExpectedItems(context, base);
      if (read.some((one) => one.source === source && one.sortKey === target)) return;
    }
    // rule: backfill-removes-entries-of-no-edge
    await repairItem(context, { kind: itemKindOf(context.graph, target), source, sortKey: target });
  };
  await pMap(derived, reconcileStray, { concurrency: context.concurrency });
}

function textOfIndexKey({ source, sortKey }: Pick<ExpectedItem, 'source' | 'sortKey'>): string {
  return `${source}\0${sortKey}`;
}

export async function reconcileViews(
  context: BuildContext,
  types: ReadonlySet<string>,
): Promise<WalkPlace | undefined> {
  return await walk(context, async (items) => {
    // rule: no-reverse-item-is-left
    await reconcileReverseItemsWithoutEdge(context, items);
    // rule: views-that-leave-off-copying-end-fan-outs
    await endUnneededFanOuts(context, items);
    const ofViews = items.filter(({ target }) => target === VIEW_KEY || isBaseSortKey(target));
    const sources = [...new Set(ofViews.map(({ source }) => source))];
    const own = sources.filter((source) => types.has(parseNodeId(source)?.type ?? ''));
    for (const chunk of slicesOf(own, READ_KEYS)) {
      const keys = chunk.map((source) => ({ source, target: VIEW_KEY }));
      const views = await readItems(context, keys);
      const old = chunk.filter((source, i) => isOfOtherShape(context.graph, source, views[i]));
      const touches = old.map((source) => viewTouch(source, []));
      await reconcileOrThrow(context, touches, { isScan: true });
    }
    return true;
  });
}

/** A writer that deletes an edge while no view copies along it leaves the reverse item. */
async function reconcileReverseItemsWithoutEdge(context: BuildContext, items: readonly WalkedItem[]): Promise<void> {
  const reverse = items.flatMap(({ source, target, item }) => {
    const kind = itemKindOf(context.graph, target);
    if (kind.decidedBy !== 'edge-elsewhere' || !kind.isLive(item)) return [];
    const edge = possibleEdgeOfReverse({ source, target }, item);
    return edge === undefined ? [] : [{ key: { source, target }, edge }];
  });
  const edges = await readItems(
    context,
    reverse.map(({ edge }) => edge),
  );
  const isMisfit = ({ source, target }: ItemKey) => classifyKey(context.graph, source, target).kind === 'misfit';
  const left = reverse.filter(({ edge }, i) => !isItemThere(context.graph, edge, edges[i]) || isMisfit(edge));
  await pMap(left, ({ key }) => reconcileNamed(context, key), { concurrency: context.concurrency });
}
