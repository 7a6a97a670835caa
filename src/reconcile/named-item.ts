import { type Item, stringOf } from '../core/items/attribute-value.ts';
import { isTombstone, OTHER, unchangedCondition } from '../core/items/derived-item.ts';
import { baseKeyOfIndexItem, parseDerivedKey } from '../core/items/derived-key.ts';
import { typePrefix } from '../core/items/keys.ts';
import { hasRoomForOthers, RoomForOthers, storedAmounts } from '../core/items/ledger.ts';
import { itemsToCount } from '../core/kinds/count.ts';
import { hasRevision, misshapenAttributes } from '../core/kinds/form.ts';
import { edgeNamedInTarget, kindOfTarget } from '../core/kinds/in-target.ts';
import { findEdgeOfHashedKey } from '../core/kinds/index-item.ts';
import type { ItemForm } from '../core/kinds/kind.ts';
import { isReverseKey } from '../core/kinds/reverse-item.ts';
import { keepsViews } from '../core/kinds/view.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import { totalOfEntry } from '../core/model/projection/places.ts';
import { itemTouch, type Reconcilable, viewTouch } from '../core/plan/touch.ts';
import { itemUpdate } from '../core/plan/writes/item-update.ts';
import { type ReadStats, readItem } from '../core/store-pages.ts';
import type { ItemKey, Store } from '../core/store-port.ts';
import { type ApplyContext, epochSeconds } from './apply-context.ts';
import { reconcileOrThrow } from './reconcile.ts';
import { itemTask, otherCountOf, type PlannedWrite, withCount } from './ways.ts';

/** For an item that a scan has found, so only its key or content can name its base item. */
export async function reconcileNamed(context: ApplyContext, key: ItemKey): Promise<void> {
  let base: ItemKey | undefined;
  // If the edge is put after this search, its projection changes the item. The burial then fails, and the search is
  // repeated.
  const burial = itemTask(key, async (_, was) => {
    base = await baseNamedBy(context, key, was);
    return base === undefined ? planBurial(context, key, was) : undefined;
  });
  await reconcileOrThrow(context, [burial], { isScan: true });
  if (base !== undefined) await reconcileOrThrow(context, touchesOfNamed(context.graph, key, base), { isScan: true });
}

/**
 * Includes the view with the edge's copy, because a fan-out may have missed the edge while its reverse item was
 * missing.
 */
export function touchesOfNamed(graph: CompiledModel, key: ItemKey, base: ItemKey): Reconcilable[] {
  const item = itemTouch(key, base);
  const hasCopy = isReverseKey(key.target) && keepsViews(graph, typePrefix(base.source) ?? '');
  return hasCopy ? [item, viewTouch(base.source, [base.target])] : [item];
}

/** A hashed key takes a Query for the edge. */
export async function baseNamedBy(
  context: { graph: CompiledModel; store: Pick<Store, 'query'>; stats?: ReadStats },
  key: ItemKey,
  item: Item | undefined,
): Promise<ItemKey | undefined> {
  const { source, target: sortKey } = key;
  const named = unqueriedBase(context.graph, key, item);
  if (named !== undefined || kindOfTarget(sortKey) !== undefined) return named;
  const target = await findEdgeOfHashedKey(context, source, sortKey);
  return target === undefined ? undefined : { source, target };
}

/** Returns undefined for an index item with a hashed key. */
export function unqueriedBase(graph: CompiledModel, key: ItemKey, item: Item | undefined): ItemKey | undefined {
  if (kindOfTarget(key.target) !== undefined) return edgeNamedInTarget(graph, key, item);
  const target = baseKeyOfIndexItem(key.source, key.target);
  return target === undefined ? undefined : { source: key.source, target };
}

function planBurial(context: ApplyContext, key: ItemKey, was: Item | undefined): PlannedWrite | undefined {
  const { graph } = context;
  if (was === undefined || isTombstone(was, graph.table)) return undefined;
  const total = parseDerivedKey(key.target)?.kind === 'total-entry' ? totalOfEntry(key.target).name : undefined;
  const update = itemUpdate(graph, key, was, undefined, epochSeconds(context));
  // rule: repair-moves-the-total
  return {
    ...withCount({ current: was, expected: undefined, update }, total, true),
    otherCount: otherCountOf(was, total),
  };
}

export async function nameValuesThatNowFit(context: ApplyContext, count: ItemKey): Promise<void> {
  const { source, target: countKey } = count;
  const amounts = storedAmounts(await readItem(context, count));
  if (amounts === undefined || !hasRoomForOthers(amounts)) return;
  const room = new RoomForOthers(amounts);
  for await (const item of itemsToCount(context.store, source, countKey)) {
    if (!room.takes(item)) continue;
    await reconcileNamed(context, { source, target: stringOf(item[context.graph.table.sortKey])! });
  }
}

/** The write also replaces a malformed revision. */
export async function repairForm(context: ApplyContext, form: ItemForm, key: ItemKey): Promise<void> {
  const { graph } = context;
  const task = itemTask(key, async (_, was) => {
    const unset = misshapenAttributes(form, graph, was ?? {});
    if (was === undefined || (unset.length === 0 && hasRevision(was))) return undefined;
    const update = { key, set: {}, unset, condition: unchangedCondition(was, graph.table.ttl) };
    // A counted item without its list of groups (`OTHER`) no longer matches its count, so the count needs a repair.
    return { update, otherCount: unset.includes(OTHER) ? otherCountOf(was, undefined) : undefined };
  });
  await reconcileOrThrow(context, [task], { isScan: true });
}
