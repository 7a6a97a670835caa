import type { DerivedKind } from '../../core/items/derived-key.ts';
import { keyOfSuspect, type Suspect } from '../../core/kinds/difference.ts';
import { keysInTargetOfView } from '../../core/kinds/in-target.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { itemTouch, type Reconcilable, viewTouch } from '../../core/plan/touch.ts';
import type { ItemKey } from '../../core/store-port.ts';
import { deleteItem } from '../../reconcile/alien.ts';
import type { ApplyContext } from '../../reconcile/apply-context.ts';
import { countTask } from '../../reconcile/counts.ts';
import { restartFanOut } from '../../reconcile/fan-out.ts';
import { nameValuesThatNowFit, reconcileNamed, touchesOfNamed, unqueriedBase } from '../../reconcile/named-item.ts';
import { reconcileOrThrow } from '../../reconcile/reconcile.ts';

export interface ItemToRepair extends Suspect {
  kind: { name: DerivedKind };
}

interface ItemRepair {
  /** A malformed count blocks the writes of the items that it counts. */
  isFirst?: true;
  /** Touches that correct the item, reconciled together with others; undefined if `repair` is needed. */
  touches?(graph: CompiledModel, item: Suspect): readonly Reconcilable[] | undefined;
  repair?(context: ApplyContext, key: ItemKey): Promise<unknown>;
}

const COUNT: ItemRepair = {
  isFirst: true,
  async repair(context, key) {
    await reconcileOrThrow(context, [countTask(key)], { isScan: true });
    // Also corrects items that wrongly claim that the count had no room for their values.
    await nameValuesThatNowFit(context, key);
  },
};
const BY_BASE: ItemRepair = { touches: touchesByBase, repair: reconcileNamed };
const CONTINUATION: ItemRepair = { repair: restartFanOut };

const REPAIRS: { readonly [Kind in DerivedKind]: ItemRepair } = {
  count: COUNT,
  total: COUNT,
  view: { touches: touchesOfView },
  'index-item': BY_BASE,
  'target-item': BY_BASE,
  'part-view': BY_BASE,
  'reverse-item': BY_BASE,
  'total-entry': BY_BASE,
  continuation: CONTINUATION,
  'source-continuation': CONTINUATION,
  // Only a redrive may clear an entry, after reconciling the items that it names.
  'quarantine-entry': { repair: async () => false },
  'unknown-item': { repair: deleteItem },
};

export function isRepairedFirst({ kind }: ItemToRepair): boolean {
  return REPAIRS[kind.name].isFirst === true;
}

export function repairingTouches(graph: CompiledModel, item: ItemToRepair): readonly Reconcilable[] | undefined {
  return REPAIRS[item.kind.name].touches?.(graph, item);
}

export async function repairItem(context: ApplyContext, item: ItemToRepair): Promise<boolean> {
  const touches = repairingTouches(context.graph, item);
  if (touches === undefined) return (await REPAIRS[item.kind.name].repair!(context, keyOfSuspect(item))) !== false;
  await reconcileOrThrow(context, touches, { isScan: true });
  return true;
}

function touchesByBase(graph: CompiledModel, item: Suspect): readonly Reconcilable[] | undefined {
  const key = keyOfSuspect(item);
  const base = item.bases?.[0] ?? unqueriedBase(graph, key, undefined);
  return base && touchesOfNamed(graph, key, base);
}

/** Reverse items come before the view, so that the fan-out of a later change finds the edges. */
function touchesOfView(graph: CompiledModel, { source, bases = [], returning = [] }: Suspect): readonly Reconcilable[] {
  const reverse = bases.flatMap((edge) => keysInTargetOfView(graph, edge).map((key) => itemTouch(key, edge)));
  const targets = bases.map(({ target }) => target);
  return [...reverse, { ...viewTouch(source, targets), ...(returning.length > 0 && { returning }) }];
}
