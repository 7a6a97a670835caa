import { type Item, stringOf } from '../core/items/attribute-value.ts';
import { COUNTED, isTombstone } from '../core/items/derived-item.ts';
import { baseKeyOfIndexItem, parseDerivedKey } from '../core/items/derived-key.ts';
import { typePrefix } from '../core/items/keys.ts';
import { edgeNamedInTarget, kindOfTarget } from '../core/kinds/in-target.ts';
import { findEdgeOfHashedKey } from '../core/kinds/index-item.ts';
import { isReverseKey } from '../core/kinds/reverse-item.ts';
import { keepsViews } from '../core/kinds/view.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import { totalOfEntry } from '../core/model/projection/places.ts';
import { itemTouch, type Reconcilable, viewTouch } from '../core/plan/touch.ts';
import { itemUpdate } from '../core/plan/writes/item-update.ts';
import type { DerivedUpdate, ItemKey, Store } from '../core/store-port.ts';
import { type ApplyContext, epochSeconds, sendingWithin } from './apply-context.ts';
import { reconcileOtherCount, writeCounted } from './counted.ts';
import { reconcileItem } from './reconcile-item.ts';
import { reconcileOrThrow } from './touches.ts';

/** A scan has found these items, and no record says which base item they belong to. */

export async function reconcileNamed(context: ApplyContext, key: ItemKey): Promise<void> {
  const base = await namedBase(context, key);
  if (base !== undefined) await reconcileOrThrow(context, touchesOfNamed(context.graph, key, base), { isScan: true });
}

/**
 * While a reverse item was missing, a fan-out may not have found the edge: so the view with the copy is touched too.
 */
export function touchesOfNamed(graph: CompiledModel, key: ItemKey, base: ItemKey): Reconcilable[] {
  const item = itemTouch(key, base);
  const hasCopy = isReverseKey(key.target) && keepsViews(graph, typePrefix(base.source) ?? '');
  return hasCopy ? [item, viewTouch(base.source, [base.target])] : [item];
}

async function namedBase(context: ApplyContext, key: ItemKey): Promise<ItemKey | undefined> {
  const { source, target } = key;
  const countName = parseDerivedKey(target)?.kind === 'total-entry' ? totalOfEntry(target).name : undefined;
  // If the edge is put after the search, its write changes the item, so the burial fails and the search is repeated.
  const { actual, expected: base } = await reconcileItem(context, {
    key,
    expected: (item) => baseNamedBy(context, key, item),
    update: (item, base) => (base === undefined ? tombstoneUpdate(context, key, item) : undefined),
    // rule: repair-moves-the-total
    writeIfUnchanged:
      countName === undefined
        ? undefined
        : (update, { actual }, readAtMs) => writeWithTotal(context, countName, { current: actual, update, readAtMs }),
  });
  if (base === undefined) await reconcileOtherCount(context, source, stringOf(actual?.[COUNTED]), countName);
  return base;
}

/** The base item that an item names by its key or content; only of a hashed key a Query finds the edge. */
export async function baseNamedBy(
  context: { graph: CompiledModel; store: Pick<Store, 'query'> },
  key: ItemKey,
  item: Item | undefined,
): Promise<ItemKey | undefined> {
  const { source, target: sortKey } = key;
  if (kindOfTarget(sortKey) !== undefined) return edgeNamedInTarget(context.graph, key, item);
  const target = baseKeyOfIndexItem(source, sortKey) ?? (await findEdgeOfHashedKey(context, source, sortKey));
  return target === undefined ? undefined : { source, target };
}

async function writeWithTotal(
  context: ApplyContext,
  countName: string,
  { current, update, readAtMs }: { current: Item | undefined; update: DerivedUpdate; readAtMs: number },
): Promise<boolean> {
  const change = { current, expected: undefined, update };
  const [outcome] = await writeCounted(context, countName, [change], {
    remainingMs: sendingWithin(context, { readAtMs }),
    readmits: true,
  });
  if (!outcome!.applied && outcome!.error !== undefined) throw outcome!.error;
  context.stats.wcu += outcome!.wcu;
  return outcome!.applied;
}

function tombstoneUpdate(context: ApplyContext, key: ItemKey, current: Item | undefined): DerivedUpdate | undefined {
  if (current === undefined || isTombstone(current, context.graph.table)) return undefined;
  return itemUpdate(context.graph, key, current, undefined, epochSeconds(context));
}
