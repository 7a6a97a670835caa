import { baseKeyOfIndexItem, type DerivedKind } from '../../core/items/derived-key.ts';
import { partKindOf } from '../../core/kinds/all-kinds.ts';
import { edgeNamedInTarget, edgeOfPart, keysInTargetOfView } from '../../core/kinds/in-target.ts';
import type { Part, ViewRepair } from '../../core/kinds/part.ts';
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

interface ItemRepair {
  /** A malformed count blocks the writes of the items that it counts. */
  isFirst?: true;
  /** Touches that make the item right, reconciled together with others; undefined: `repair` is needed. */
  touches?(graph: CompiledModel, key: ItemKey, parts: readonly Part[]): readonly Reconcilable[] | undefined;
  repair(context: ApplyContext, key: ItemKey, parts: readonly Part[]): Promise<unknown>;
}

const COUNT: ItemRepair = {
  isFirst: true,
  async repair(context, key) {
    await reconcileCount(context, key.source, key.target);
    // Also if an item says wrongly that there was no room for its value.
    await placeValuesWithoutRoom(context, key);
  },
};
const INDEX_ITEM: ItemRepair = {
  touches: (graph, key, parts) => touchesUnder(graph, key, baseOfIndexItem(key, parts)),
  repair: reconcileNamed,
};
const IN_TARGET: ItemRepair = {
  touches: (graph, key, parts) =>
    touchesUnder(
      graph,
      key,
      parts.map(edgeOfPart).find((edge) => edge !== undefined) ?? edgeNamedInTarget(graph, key, undefined),
    ),
  repair: reconcileNamed,
};
const CONTINUATION: ItemRepair = { repair: restartFanOut };

const REPAIRS: { readonly [Kind in DerivedKind]: ItemRepair } = {
  count: COUNT,
  total: COUNT,
  view: { touches: touchesOfView, repair: repairView },
  'index-item': INDEX_ITEM,
  'target-item': INDEX_ITEM,
  'part-view': INDEX_ITEM,
  'reverse-item': IN_TARGET,
  'total-entry': IN_TARGET,
  continuation: CONTINUATION,
  'source-continuation': CONTINUATION,
  // A redrive reconciles what an entry names, and deletes the entry.
  'quarantine-entry': { repair: async () => false },
  'unknown-item': { repair: deleteItem },
};

export interface ItemToRepair {
  kind: { name: DerivedKind };
  key: ItemKey;
  parts: readonly Part[];
}

export function isRepairedFirst({ kind }: ItemToRepair): boolean {
  return REPAIRS[kind.name].isFirst === true;
}

/** Undefined: `repairItem` repairs it. */
export function repairingTouches(
  graph: CompiledModel,
  { kind, key, parts }: ItemToRepair,
): readonly Reconcilable[] | undefined {
  return REPAIRS[kind.name].touches?.(graph, key, parts);
}

export async function repairItem(context: ApplyContext, item: ItemToRepair): Promise<boolean> {
  const touches = repairingTouches(context.graph, item);
  if (touches === undefined) return (await REPAIRS[item.kind.name].repair(context, item.key, item.parts)) !== false;
  await reconcileOrThrow(context, touches, { isScan: true });
  return true;
}

function touchesUnder(
  graph: CompiledModel,
  key: ItemKey,
  base: ItemKey | undefined,
): readonly Reconcilable[] | undefined {
  return base && touchesOfNamed(graph, key, base);
}

function baseOfIndexItem({ source, target: sortKey }: ItemKey, parts: readonly Part[]): ItemKey | undefined {
  const named = parts.map((part) => (part.kind === 'index-item' ? part.target : undefined));
  const target = named.find((one) => one !== undefined) ?? baseKeyOfIndexItem(source, sortKey);
  return target === undefined ? undefined : { source, target };
}

/** Reverse items come before the view, so that the fan-out of a later change finds the edges. */
function touchesOfView(
  graph: CompiledModel,
  { source, target: sortKey }: ItemKey,
  parts: readonly Part[],
): readonly Reconcilable[] | undefined {
  const { targets, unmark, drop } = viewRepair(graph, { source, target: sortKey }, parts);
  if (unmark.size + drop.length > 0) return undefined;
  const reverse = [...targets].flatMap((target) => {
    const edge = { source, target };
    return keysInTargetOfView(graph, edge).map((key) => itemTouch(key, edge));
  });
  return [...reverse, viewTouch(source, [...targets])];
}

async function repairView(context: ApplyContext, key: ItemKey, parts: readonly Part[]): Promise<void> {
  const { targets, unmark, drop } = viewRepair(context.graph, key, parts);
  await reconcileViewParts(context, key.source, [...targets], { unmark, drop });
}

function viewRepair(graph: CompiledModel, { source, target: sortKey }: ItemKey, parts: readonly Part[]): ViewRepair {
  const repair: ViewRepair = { targets: new Set(), unmark: new Set(), drop: [] };
  for (const part of parts) partKindOf(part).repairInView?.(repair, graph, { source, sortKey, part });
  return repair;
}
