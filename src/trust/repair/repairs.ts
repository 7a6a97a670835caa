import { baseKeyOfIndexItem, type DerivedKind } from '../../core/items/derived-key.ts';
import { keyOfSuspect, type Suspect } from '../../core/kinds/difference.ts';
import { edgeNamedInTarget, keysInTargetOfView, kindOfTarget } from '../../core/kinds/in-target.ts';
import type { CompiledModel } from '../../core/model/compiled.ts';
import { itemTouch, type Reconcilable, viewTouch } from '../../core/plan/touch.ts';
import type { ItemKey } from '../../core/store-port.ts';
import { deleteItem } from '../../reconcile/alien.ts';
import type { ApplyContext } from '../../reconcile/apply-context.ts';
import { reconcileCount } from '../../reconcile/counted.ts';
import { restartFanOut } from '../../reconcile/fan-out.ts';
import { reconcileNamed, touchesOfNamed } from '../../reconcile/named-item.ts';
import { placeValuesWithoutRoom } from '../../reconcile/others.ts';
import { reconcileOrThrow } from '../../reconcile/touches.ts';
import { reconcileViewParts } from '../../reconcile/view.ts';

/** A derived item to repair, with the base items and returning edge types that are known to be wrong in it. */
export interface ItemToRepair extends Suspect {
  kind: { name: DerivedKind };
}

/** The repair of a kind of derived item. */
interface ItemRepair {
  /** True if the repairs of other kinds come later: a malformed count blocks the writes of the items that it counts. */
  isFirst?: true;
  /** What makes the item right once it is reconciled, together with that of other items; undefined: `repair` has a way of its own. */
  touches?(graph: CompiledModel, item: Suspect): readonly Reconcilable[] | undefined;
  /** Makes an item equal to what its base items ask for now. Resolves with false if the item does not count as repaired. */
  repair(context: ApplyContext, key: ItemKey, item: Suspect): Promise<unknown>;
}

const COUNT: ItemRepair = {
  isFirst: true,
  async repair(context, key) {
    await reconcileCount(context, key.source, key.target);
    // The count is now what its items say, also where one of them says wrongly that there was no room for its value.
    await placeValuesWithoutRoom(context, key);
  },
};
const BY_BASE: ItemRepair = { touches: touchesByBase, repair: reconcileNamed };
const CONTINUATION: ItemRepair = { repair: restartFanOut };

/** The repairs of all kinds. A kind without a line does not compile. */
const REPAIRS: { readonly [Kind in DerivedKind]: ItemRepair } = {
  count: COUNT,
  total: COUNT,
  view: { touches: touchesOfView, repair: repairView },
  'index-item': BY_BASE,
  'target-item': BY_BASE,
  'part-view': BY_BASE,
  'reverse-item': BY_BASE,
  'total-entry': BY_BASE,
  continuation: CONTINUATION,
  'source-continuation': CONTINUATION,
  // A redrive reconciles what an entry names, and deletes the entry.
  'quarantine-entry': { repair: async () => false },
  'unknown-item': { repair: deleteItem },
};

/** Tells whether an item is repaired before items of other kinds. */
export function isRepairedFirst({ kind }: ItemToRepair): boolean {
  return REPAIRS[kind.name].isFirst === true;
}

/** What a scan has to touch so that an item is repaired; undefined: `repairItem` repairs it. */
export function repairingTouches(graph: CompiledModel, item: ItemToRepair): readonly Reconcilable[] | undefined {
  return REPAIRS[item.kind.name].touches?.(graph, item);
}

/** Repairs an item by itself. Returns whether it counts as repaired. */
export async function repairItem(context: ApplyContext, item: ItemToRepair): Promise<boolean> {
  const touches = repairingTouches(context.graph, item);
  if (touches === undefined) return (await REPAIRS[item.kind.name].repair(context, keyOfSuspect(item), item)) !== false;
  await reconcileOrThrow(context, touches, { isScan: true });
  return true;
}

function touchesByBase(graph: CompiledModel, item: Suspect): readonly Reconcilable[] | undefined {
  const key = keyOfSuspect(item);
  const base = item.bases?.[0] ?? baseNamedByKey(graph, key);
  return base && touchesOfNamed(graph, key, base);
}

function baseNamedByKey(graph: CompiledModel, key: ItemKey): ItemKey | undefined {
  if (kindOfTarget(key.target) !== undefined) return edgeNamedInTarget(graph, key, undefined);
  const target = baseKeyOfIndexItem(key.source, key.target);
  return target === undefined ? undefined : { source: key.source, target };
}

/** The reverse items of its edges come before a view, so that the fan-out of a later change finds the edges. */
function touchesOfView(
  graph: CompiledModel,
  { source, bases = [], returning = [] }: Suspect,
): readonly Reconcilable[] | undefined {
  if (returning.length > 0) return undefined;
  const reverse = bases.flatMap((edge) => keysInTargetOfView(graph, edge).map((key) => itemTouch(key, edge)));
  return [
    ...reverse,
    viewTouch(
      source,
      bases.map(({ target }) => target),
    ),
  ];
}

async function repairView(context: ApplyContext, key: ItemKey, { bases = [], returning }: Suspect): Promise<void> {
  await reconcileViewParts(
    context,
    key.source,
    bases.map(({ target }) => target),
    returning,
  );
}
