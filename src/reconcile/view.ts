import { type Item, stringOf } from '../core/items/attribute-value.ts';
import { CHILD } from '../core/items/derived-item.ts';
import { decodeElement, edgeKeyOfElement } from '../core/items/element.ts';
import { BASE_ITEMS, typePrefix } from '../core/items/keys.ts';
import { elementsByEdge, evictedTypes } from '../core/items/stored-view.ts';
import { readCopies } from '../core/kinds/copy.ts';
import { keysInTargetOfView } from '../core/kinds/in-target.ts';
import { isOfOtherShape } from '../core/kinds/view.ts';
import { derivedOf } from '../core/plan/derive.ts';
import { type ItemTouch, itemTouch, keyOfTouch, type ViewTouch } from '../core/plan/touch.ts';
import {
  changesNothing,
  correctionsOf,
  type Share,
  viewUpdate,
  wholeViewUpdate,
} from '../core/plan/writes/view-update.ts';
import { queriedItems, readItems } from '../core/store-pages.ts';
import type { DerivedUpdate, ItemKey, QueryRequest } from '../core/store-port.ts';
import { type ApplyContext, epochSeconds } from './apply-context.ts';

export type ReconcileItems = (context: ApplyContext, items: readonly ItemTouch[]) => Promise<void>;

/**
 * Views of another shape, redriven views, and views to which an edge type returns need a Query to find their shares.
 */
export async function planQueriedView(
  context: ApplyContext,
  touch: ViewTouch,
  was: Item | undefined,
  reconcileItems: ReconcileItems,
): Promise<DerivedUpdate | undefined> {
  const { graph } = context;
  const { source, returning = [] } = touch;
  const isReplaced = isOfOtherShape(graph, source, was);
  const shares = new Map<string, Share>();
  for await (const [target, item] of basesOf(context, touch, was, isReplaced)) {
    const { element, attributes } = derivedOf(graph, source, target, item);
    shares.set(target, { element, attributes } as Share);
  }
  const evicted = new Set(isReplaced ? [] : evictedTypes(was));
  for (const type of returning) evicted.delete(type);
  const listed = [...shares].flatMap(([target, { element }]) =>
    element === undefined || evicted.has(typePrefix(target) ?? '') ? [] : [target],
  );
  // The fan-out of a later change of the copied node only finds edges that have a reverse item.
  // rule: reverse-items-before-the-copies-of-a-view-made-whole, first
  await writeMissingReverseItems(context, source, listed, reconcileItems);
  // rule: reverse-items-before-the-copies-of-a-view-made-whole, then
  const copies = await readCopies(context, listed);
  const now = epochSeconds(context);
  if (isReplaced) return wholeViewUpdate(graph, source, was, { shares, copies }, now);
  const corrections = correctionsOf(graph, was, returning);
  const update = viewUpdate(graph, source, was, { shares, copies, corrections }, now);
  return changesNothing(update) ? undefined : update;
}

async function* basesOf(
  context: ApplyContext,
  { source, targets, isWhole, returning = [] }: ViewTouch,
  was: Item | undefined,
  isReplaced: boolean,
): AsyncGenerator<[target: string, item: Item | undefined]> {
  if (isWhole === true || isReplaced) {
    // The view may still show a node and edges that are gone, which the Query doesn't return.
    if (!isReplaced) for (const target of [...namedIn(was), source]) yield [target, undefined];
    yield* queriedBases(context, source, BASE_ITEMS);
    return;
  }
  const items = await readItems(
    context,
    targets.map((target) => ({ source, target })),
  );
  for (const [i, target] of targets.entries()) yield [target, items[i]];
  // rule: edge-type-comes-back-whole
  for (const type of returning) yield* queriedBases(context, source, { beginsWith: `${type}-` });
}

function namedIn(view: Item | undefined): string[] {
  return [...elementsByEdge(view).values()].flatMap(([first]) =>
    decodeElement(first!) === undefined ? [] : [edgeKeyOfElement(first!)],
  );
}

async function* queriedBases(
  { store, stats, graph }: ApplyContext,
  source: string,
  sortKey: QueryRequest['sortKey'],
): AsyncGenerator<[target: string, item: Item]> {
  const items = queriedItems(store, { partition: source, sortKey, consistent: true }, stats);
  for await (const item of items) yield [stringOf(item[graph.table.sortKey]) ?? '', item];
}

async function writeMissingReverseItems(
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
