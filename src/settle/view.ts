import { type Item, stringOf } from '../core/items/attribute-value.ts';
import { WATERMARK } from '../core/items/derived-item.ts';
import { VIEW_KEY } from '../core/items/keys.ts';
import { evictedTypes } from '../core/items/stored-view.ts';
import type { ParentCopies } from '../core/kinds/copy.ts';
import { isOverBudget, viewBudgetBytes } from '../core/kinds/eviction.ts';
import { readCopies } from '../core/kinds/parent-copies.ts';
import { isOfOtherShape } from '../core/kinds/view.ts';
import { derivedOf } from '../core/plan/derive.ts';
import type { Truth, ViewChange, ViewUnit } from '../core/plan/unit.ts';
import { isFenced, isStale } from '../core/plan/writes/stale.ts';
import { contradictingChanges, evictionUpdate, fastViewUpdate, slowViewUpdate } from '../core/plan/writes/updates.ts';
import { wholeViewUpdate } from '../core/plan/writes/whole-view.ts';
import { readItem, readItems } from '../core/store-pages.ts';
import type { DerivedUpdate, UpdateResult } from '../core/store-port.ts';
import { StoreError } from '../foundation/errors.ts';
import { type ApplyContext, epochSeconds, updateItem } from './context.ts';
import { reconcile } from './reconcile.ts';
import { writeReverseItemsAndReadView } from './whole-view.ts';

/** Whether a view unit has to read the view before it can be written, so that reading ahead pays. */
export function mustReadView(context: ApplyContext, unit: ViewUnit): boolean {
  return fastViewUpdate(context.graph, unit, context.evicted?.evictedTypesOf(unit.source)) === undefined;
}

/**
 * Applies a view unit. Fast path: one update without a read, if all of the unit's records are newer than the view. Slow path: the
 * view is read first (a failed condition returns it without cost), then the base items for contradictions, then the nodes that the
 * unit's edges copy from; then the write is made under the revision that was read. On a conflict all of these are read again, the
 * view first: values kept from an earlier attempt may be older than the view.
 *
 * `prefetched`: the view as it was read ahead for the slow path; its `item` is undefined if there is none.
 */
export async function applyViewUnit(
  context: ApplyContext,
  unit: ViewUnit,
  prefetched?: { item: Item | undefined },
): Promise<void> {
  const { graph, stats } = context;
  let current: Item | undefined;
  // rule: removal-is-written-where-no-view-is
  // rule: view-before-parents, first
  const fast =
    prefetched === undefined ? fastViewUpdate(graph, unit, context.evicted?.evictedTypesOf(unit.source)) : undefined;
  if (prefetched !== undefined) {
    current = prefetched.item;
  } else if (fast !== undefined) {
    const result = await tryFastUpdate(context, fast);
    if (result?.applied) return await evictIfOverBudget(context, unit.source, result.wcu);
    current = result === undefined ? await readView(context, unit.source) : result.current;
  } else {
    current = await readView(context, unit.source);
  }
  if (isStale(unit.oldest, current) || isFenced(unit.records, current)) stats.stale += 1;
  const { update } = await reconcile(context, {
    key: { source: unit.source, target: VIEW_KEY },
    seen: { item: current },
    async expected(current) {
      if (isOfOtherShape(graph, unit.source, current))
        return { whole: await writeReverseItemsAndReadView(context, unit.source) };
      // rule: contradictions-are-reconciled-by-base-items
      // rule: base-items-are-read-after-the-view
      const truths = await readExpectedParts(context, unit, contradictingChanges(unit, current));
      // rule: view-before-parents, then
      const parents = await readParents(context, unit, current, truths);
      return { truths, parents };
    },
    update(current, expected) {
      const now = epochSeconds(context);
      if (expected.whole !== undefined)
        return wholeViewUpdate(graph, unit.source, current, expected.whole, unit.newest, now);
      const { truths, parents } = expected;
      const update = slowViewUpdate(graph, unit, current, truths, now, parents);
      // rule: replay-still-evicts
      if (wasViewLastWrittenBy(unit, current) && agreesWithBaseItems(unit, current, truths) && !changesElements(update))
        return undefined;
      // rule: stale-unit-leaves-a-trace
      return update;
    },
  });
  if (update !== undefined) context.evicted?.noteEvictedTypes(unit.source, evictedTypes(update.set));
}

/**
 * Whether the view's watermark equals the unit's newest record, so that the same records were applied before. A batch is of one
 * shard, whose positions rise, so nothing in the unit can be newer than that write. The watermark
 * does not tell whether the view is right: see `agreesWithBaseItems`.
 *
 * Only such a unit may leave a view that agrees with it unwritten, which halves the cost of a replay. Any other stale unit writes a
 * new revision, so that a concurrent worker with an older read fails.
 */
function wasViewLastWrittenBy(unit: ViewUnit, current: Item | undefined): boolean {
  return stringOf(current?.[WATERMARK]) === unit.newest;
}

/**
 * Reads the copies of the unit's edges that are in the view after the write. Copies of other edges stay: fan-outs maintain them.
 * Edges that agree with the view are read too, because the worker that wrote them may have read the parent before their reverse
 * items existed. A plain replay reads none: the same unit has read them before.
 */
async function readParents(
  context: ApplyContext,
  unit: ViewUnit,
  current: Item | undefined,
  truths: ReadonlyMap<string, Truth>,
): Promise<ParentCopies> {
  if (wasViewLastWrittenBy(unit, current) && agreesWithBaseItems(unit, current, truths)) return new Map();
  const evicted = evictedTypes(current);
  const edges = unit.changes
    .filter((change) => (truths.get(change.target) ?? change).element !== undefined)
    .filter(({ edgeType = '' }) => !evicted.has(edgeType))
    .map(({ target }) => target);
  return await readCopies(context, edges);
}

/** Whether every part of the view that this unit is about is as its base item asks for, if base items were read. */
function agreesWithBaseItems(unit: ViewUnit, current: Item | undefined, truths: ReadonlyMap<string, Truth>): boolean {
  if (truths.size === 0) return true;
  // A change whose image contradicts the view is written even if the base item agrees with the view. The new revision makes a
  // concurrent worker with an older read fail.
  if (unit.changes.some(({ target, byBase }) => byBase !== true && truths.has(target))) return false;
  const changes = unit.changes.map((change): ViewChange => {
    const { target, oldest, edgeType, mentioned } = change;
    return truths.has(target) ? { target, oldest, edgeType, mentioned, ...truths.get(target) } : change;
  });
  return contradictingChanges({ ...unit, changes }, current).length === 0;
}

/**
 * Whether the update adds or removes elements of the edge set. Such an update is written even in a replay on a view that agrees: it
 * evicts from a view beyond its budget, because the first attempt may have crashed before the eviction.
 */
function changesElements({ addElements = [], deleteElements = [], setElements = [] }: DerivedUpdate): boolean {
  return addElements.length + deleteElements.length + setElements.length > 0;
}

/**
 * Tries the fast path's update. If the update's condition fails, the result says so and has the current view. Undefined only if DynamoDB
 * refuses the update: a view may exceed 400 KB on this path and fit on the slow path.
 */
async function tryFastUpdate(context: ApplyContext, update: DerivedUpdate): Promise<UpdateResult | undefined> {
  try {
    return await updateItem(context, update);
  } catch (error) {
    if (error instanceof StoreError && error.kind === 'terminal') return undefined;
    throw error;
  }
}

function readView(context: ApplyContext, source: string): Promise<Item | undefined> {
  return readItem(context, { source, target: VIEW_KEY });
}

/**
 * Evicts edge types from a view that exceeds its budget after an unread write; the write's capacity shows the size. After a crash
 * in between the view is too large, until the next write finds it so again.
 */
async function evictIfOverBudget(context: ApplyContext, source: string, wcu: number): Promise<void> {
  const { graph } = context;
  // rule: too-large-a-view-is-evicted
  if (!isOverBudget(wcu, viewBudgetBytes(graph, source))) return;
  const { update } = await reconcile(context, {
    key: { source, target: VIEW_KEY },
    // The view itself shows its size.
    expected: () => undefined,
    update(view) {
      if (view === undefined || isOfOtherShape(graph, source, view)) return undefined;
      // rule: eviction-is-written-under-the-revision-seen
      const update = evictionUpdate(graph, source, view, epochSeconds(context));
      return update;
    },
  });
  if (update !== undefined) context.evicted?.noteEvictedTypes(source, evictedTypes(update.set));
}

/** Reads the base items of some changes of a view. Returns the parts of the view that each asks for, by its sort key. */
async function readExpectedParts(
  context: ApplyContext,
  unit: ViewUnit,
  changes: readonly ViewChange[],
): Promise<Map<string, Truth>> {
  context.stats.contradictions += changes.length;
  const keys = changes.map(({ target }) => ({ source: unit.source, target }));
  // rule: base-items-of-a-view-are-read-consistently
  const items = await readItems(context, keys);
  return new Map(keys.map(({ target }, i) => [target, derivedOf(context.graph, unit.source, target, items[i])]));
}
