import { type Item, stringOf } from '../core/items/attribute-value.ts';
import { COUNTED, isTombstone, OTHER } from '../core/items/derived-item.ts';
import { requireDerivedSortKey } from '../core/items/keys.ts';
import { copyingEdge, parentOf } from '../core/kinds/copy.ts';
import { countHolding } from '../core/kinds/count.ts';
import { keysOfBase } from '../core/kinds/joined.ts';
import { isOfOtherShape } from '../core/kinds/view.ts';
import type { CompiledModel } from '../core/model/compiled.ts';
import { entryUpdate, faultEntry } from '../core/plan/quarantine-entry.ts';
import { keyOfTouch, type Reconcilable, type TouchBase } from '../core/plan/touch.ts';
import { itemUpdate } from '../core/plan/writes/item-update.ts';
import { changesNothing, correctionsOf, viewUpdate } from '../core/plan/writes/view-update.ts';
import type { DerivedUpdate, ItemKey } from '../core/store-port.ts';
import { type ApplyContext, epochSeconds } from './apply-context.ts';
import { type BaseItems, sharingTargets } from './base-items.ts';
import { type CountedWrite, movesCount, withKeptGroupValues } from './counted.ts';
import { planQueriedView, type ReconcileItems } from './view.ts';

/**
 * A derived item that plans its own write, because neither its key nor a record names the base items that determine it.
 * Its failure is reported, never quarantined.
 */
export interface ItemTask extends TouchBase {
  kind: 'task';
  /** Called after the item is read, and again after each conflict. Returns undefined if there is nothing to write. */
  plan(context: ApplyContext, was: Item | undefined): Promise<PlannedWrite | undefined>;
}

export type Work = Reconcilable | ItemTask;

export function itemTask({ source, target }: ItemKey, plan: ItemTask['plan']): ItemTask {
  return { kind: 'task', source, sortKey: requireDerivedSortKey(target), records: [], plan };
}

export interface PlannedWrite {
  update: DerivedUpdate;
  expected?: Item | undefined;
  /** The count to write in the same transaction. */
  count?: string | undefined;
  /** Another count that the item named wrongly and that still includes the item. */
  otherCount?: string | undefined;
  content?: Item | undefined;
  /** False if this write only puts the entry's tombstone, and the entry itself has to follow. */
  isBegun?: boolean;
  /** Used instead of `update` if the write takes several conditional updates. Returns false if it has to be retried. */
  write?(readAtMs: number): Promise<boolean>;
}

export interface Planning {
  context: ApplyContext;
  isScan: boolean;
  reconcileItems: ReconcileItems;
}

interface Way<Of extends Work> {
  /** Returns the keys of the base items to read after the derived item. */
  decidingKeys(graph: CompiledModel, touch: Of, was: Item | undefined): ItemKey[];
  plan(planning: Planning, touch: Of, was: Item | undefined, bases: BaseItems): PlannedWrite | undefined;
  /** True if the item may stay unwritten and therefore has to be read consistently. */
  mayBeLeft?(touch: Of): boolean;
  /** True if the item needs more reads than its deciding keys, so that `planAlone` has to plan it. */
  isAlone?(graph: CompiledModel, touch: Of, was: Item | undefined): boolean;
  planAlone?(planning: Planning, touch: Of, was: Item | undefined): Promise<PlannedWrite | undefined>;
}

type TouchOf<Kind extends Work['kind']> = Extract<Work, { kind: Kind }>;

const WAYS: { readonly [Kind in Work['kind']]: Way<TouchOf<Kind>> } = {
  view: {
    decidingKeys(graph, { source, targets }, was) {
      return sharingTargets(targets, was).flatMap((target) => {
        const parent = copyingEdge(graph, target) && parentOf(target);
        const edge = { source, target };
        return parent === undefined ? [edge] : [edge, { source: parent, target: parent }];
      });
    },
    plan(planning, { source, targets: all }, was, bases) {
      const { context, isScan } = planning;
      const { graph } = context;
      // A scan also removes edges of evicted types that it finds in the view.
      const targets = isScan ? all : sharingTargets(all, was);
      const shares = new Map(targets.map((target) => [target, bases.derivedOf({ source, target })]));
      const corrections = isScan ? correctionsOf(graph, was) : {};
      const content = { shares, copies: bases.copiesOf(targets), corrections };
      const update = viewUpdate(graph, source, was, content, epochSeconds(context));
      return isToWrite(planning, was, update) ? { update } : undefined;
    },
    isAlone: (graph, { source, isWhole, returning }, was) =>
      isWhole === true || returning !== undefined || isOfOtherShape(graph, source, was),
    planAlone: async ({ context, reconcileItems }, touch, was) => {
      const update = await planQueriedView(context, touch, was, reconcileItems);
      return update && { update };
    },
  },
  item: {
    decidingKeys: (graph, { base }) => keysOfBase(graph, base),
    plan(planning, { source, sortKey, base }, was, bases) {
      const { context, isScan } = planning;
      const { graph } = context;
      const key = { source, target: sortKey };
      const expected = bases.fieldsOf(base, key);
      const update = itemUpdate(graph, key, was, expected, epochSeconds(context));
      const count = countHolding(graph, base, sortKey)?.name;
      const isLacking = count !== undefined && expected !== undefined && was?.[OTHER] !== undefined;
      if (!isLacking && !isToWrite(planning, was, update)) return undefined;
      return { ...withCount({ current: was, expected, update }, count, isScan), otherCount: otherCountOf(was, count) };
    },
  },
  entry: {
    decidingKeys: (graph, { base }) => keysOfBase(graph, base),
    plan(planning, touch, was, bases) {
      const { context } = planning;
      const { graph } = context;
      const nowMs = context.now();
      const { base, records } = touch;
      const { problems } = bases.derivedOf(base);
      const content = faultEntry({ base, was, problems, records }, nowMs);
      // A look (`isLook`) leaves an absent entry unwritten. So a writer first puts a tombstone, and then reads the base
      // item again: either the base item hasn't changed since the look, or the look finds the tombstone.
      // rule: entry-begins-as-a-tombstone
      const isBegun = content === undefined || was !== undefined;
      const update = entryUpdate(graph, keyOfTouch(touch), was, isBegun ? content : undefined, nowMs);
      // rule: look-leaves-alone-only-what-is-absent
      const mayStay = touch.isLook === true && content === undefined && was === undefined;
      if (mayStay || !isToWrite(planning, was, update, content === undefined)) return undefined;
      return { update, content, isBegun };
    },
    mayBeLeft: ({ isLook }) => isLook === true,
  },
  task: {
    decidingKeys: () => [],
    plan: () => undefined,
    mayBeLeft: () => true,
    isAlone: () => true,
    planAlone: async ({ context }, touch, was) => await touch.plan(context, was),
  },
};

export function wayOf(touch: Work): Way<Work> {
  return WAYS[touch.kind] as Way<Work>;
}

export function withCount(change: CountedWrite, count: string | undefined, isScan: boolean): PlannedWrite {
  const { update, expected } = change;
  if (count === undefined || movesCount(change, count, isScan)) return { update, expected, count };
  return { update: withKeptGroupValues(change), expected };
}

/**
 * Returns the count that an item wrongly names. A transaction only updates the count that covers the item's key, so
 * this count still includes the item.
 */
export function otherCountOf(was: Item | undefined, holding: string | undefined): string | undefined {
  const name = stringOf(was?.[COUNTED]);
  return name === holding ? undefined : name;
}

/**
 * A record always writes a new revision, so that a worker with an older read fails. A scan writes only what is wrong.
 */
function isToWrite(
  { context: { graph }, isScan }: Planning,
  was: Item | undefined,
  update: DerivedUpdate,
  isGone = update.set[graph.table.ttl] !== undefined,
): boolean {
  // rule: equal-item-gets-a-new-revision
  if (!isScan) return true;
  if (isGone) return was !== undefined && !isTombstone(was, graph.table);
  return !changesNothing(update);
}
