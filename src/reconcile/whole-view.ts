import { type Item, stringOf } from '../core/items/attribute-value.ts';
import { CHILD } from '../core/items/derived-item.ts';
import { BASE_ITEMS, VIEW_KEY } from '../core/items/keys.ts';
import { keysInTargetOfView } from '../core/kinds/in-target.ts';
import { readCopies } from '../core/kinds/parent-copies.ts';
import { isOfOtherShape } from '../core/kinds/view.ts';
import { derivedOf } from '../core/plan/derive.ts';
import { type ItemTouch, itemTouch, keyOfTouch } from '../core/plan/touch.ts';
import { type Share, type ViewShares, wholeViewUpdate } from '../core/plan/writes/view-update.ts';
import { queriedItems, readItems } from '../core/store-pages.ts';
import type { ItemKey, QueryRequest } from '../core/store-port.ts';
import { type ApplyContext, epochSeconds } from './apply-context.ts';
import { reconcileItem } from './reconcile-item.ts';

export type ReconcileItems = (context: ApplyContext, items: readonly ItemTouch[]) => Promise<void>;

/**
 * For a view of another shape, or a missing one while not every node has a view yet. False if the view has the shape
 * already.
 */
export async function reconcileWholeView(
  context: ApplyContext,
  source: string,
  reconcileItems: ReconcileItems,
): Promise<boolean> {
  const { graph } = context;
  const { update } = await reconcileItem(context, {
    key: { source, target: VIEW_KEY },
    expected: (view) =>
      isOfOtherShape(graph, source, view) ? readWholeView(context, source, reconcileItems) : undefined,
    update: (view, whole) => whole && wholeViewUpdate(graph, source, view, whole, epochSeconds(context)),
  });
  return update !== undefined;
}

/**
 * Missing reverse items are written before the copied nodes are read: the fan-out of a later change of these nodes then
 * finds the edge.
 */
async function readWholeView(
  context: ApplyContext,
  source: string,
  reconcileItems: ReconcileItems,
): Promise<ViewShares> {
  const { graph } = context;
  const shares = new Map<string, Share>();
  const listed: string[] = [];
  for await (const [target, item] of baseItems(context, source, BASE_ITEMS)) {
    const { element, attributes } = derivedOf(graph, source, target, item);
    shares.set(target, { element, attributes } as Share);
    if (element !== undefined) listed.push(target);
  }
  // rule: reverse-items-before-the-copies-of-a-view-made-whole, first
  await writeMissingReverseItems(context, source, listed, reconcileItems);
  // rule: reverse-items-before-the-copies-of-a-view-made-whole, then
  const copies = await readCopies(context, listed);
  return { shares, copies };
}

export async function writeMissingReverseItems(
  context: ApplyContext,
  source: string,
  targets: readonly string[],
  reconcileItems: ReconcileItems,
): Promise<void> {
  const edges = targets.flatMap((target) => {
    const base: ItemKey = { source, target };
    return keysInTargetOfView(context.graph, base).map((key) => itemTouch(key, base));
  });
  const items = await readItems(context, edges.map(keyOfTouch));
  const missing = edges.filter((_, i) => items[i]?.[CHILD] === undefined);
  await reconcileItems(context, missing);
}

export async function* baseItems(
  { store, stats, graph }: ApplyContext,
  source: string,
  sortKey: QueryRequest['sortKey'],
): AsyncGenerator<[target: string, item: Item]> {
  const items = queriedItems(store, { partition: source, sortKey, consistent: true }, stats);
  for await (const item of items) yield [stringOf(item[graph.table.sortKey]) ?? '', item];
}
