import { type Item, stringOf } from '../core/items/attribute-value.ts';
import { CHILD, WATERMARK } from '../core/items/derived-item.ts';
import { decodeElement, edgeKeyOfElement, escapedEdge } from '../core/items/element.ts';
import { BASE_ITEMS, typePrefix, VIEW_KEY } from '../core/items/keys.ts';
import { elementsByEdge, evictedTypes } from '../core/items/stored-view.ts';
import type { ParentCopies } from '../core/kinds/copy.ts';
import { isOverBudget, viewBudgetBytes } from '../core/kinds/eviction.ts';
import { keysInTargetOfView } from '../core/kinds/in-target.ts';
import { readCopies } from '../core/kinds/parent-copies.ts';
import { isOfOtherShape } from '../core/kinds/view.ts';
import { isFenced, isStale } from '../core/plan/by-base.ts';
import { derivedOf } from '../core/plan/derive.ts';
import type { EpochSeconds, Truth, ViewChange, ViewCorrections, ViewUnit } from '../core/plan/unit.ts';
import {
  contradictingChanges,
  evictionUpdate,
  fastViewUpdate,
  slowViewUpdate,
} from '../core/plan/writes/view-update.ts';
import { type WholeView, wholeViewUpdate } from '../core/plan/writes/whole-view.ts';
import { queriedItems, readItem, readItems } from '../core/store-pages.ts';
import type { DerivedUpdate, QueryRequest, UpdateResult } from '../core/store-port.ts';
import { StoreError } from '../foundation/errors.ts';
import { type ApplyContext, epochSeconds, updateItem } from './context.ts';
import { reconcileIndexItem } from './index-item.ts';
import { type Reconciling, reconcile } from './reconcile.ts';
import { NO_WATERMARK, updateWithFence, viewWithFence, withPlausibleWatermark } from './repair.ts';

/** How to reconcile a view whose shape is that of the model. */
interface ViewSettling<Parts> {
  /** The view, if it was read before. */
  seen?: Reconciling<Parts>['seen'];
  /** The watermark of a view that is made whole. */
  watermark: string;
  /** Reads what the base items ask for in the parts of the view that are reconciled. */
  parts: (view: Item | undefined, attempt: number) => Promise<Parts>;
  /** Makes the update of the view; undefined if nothing is to be written. */
  update: (view: Item | undefined, parts: Parts, now: EpochSeconds) => DerivedUpdate | undefined;
}

/** Reconciles a view. One of another shape is made whole instead, by all base items of the partition. Returns the update that was made. */
export async function settleView<Parts>(
  context: ApplyContext,
  source: string,
  { seen, watermark, parts, update }: ViewSettling<Parts>,
): Promise<{ update: DerivedUpdate | undefined }> {
  const { graph } = context;
  return await reconcile(context, {
    key: { source, target: VIEW_KEY },
    seen,
    async expected(view, attempt) {
      const kept = await withPlausibleWatermark(context, view);
      if (isOfOtherShape(graph, source, view)) return { kept, whole: await readWholeView(context, source) };
      return { kept, parts: await parts(view, attempt) };
    },
    update(actual, expected) {
      const now = epochSeconds(context);
      const view = context.repair === undefined ? actual : viewWithFence(context, expected.kept);
      const made =
        expected.whole === undefined
          ? update(view, expected.parts, now)
          : wholeViewUpdate(graph, source, view, expected.whole, watermark, now);
      if (made === undefined) return undefined;
      // rule: repair-writes-views-under-the-revision-seen
      return updateWithFence(context, made);
    },
  });
}

/** Tells whether a view unit has to read the view before it can be written, so that reading ahead pays. */
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
  const { update } = await settleView(context, unit.source, {
    seen: { item: current },
    watermark: unit.newest,
    async parts(current) {
      // rule: contradictions-are-reconciled-by-base-items
      // rule: base-items-are-read-after-the-view
      const truths = await readExpectedParts(context, unit, contradictingChanges(unit, current));
      // rule: view-before-parents, then
      const parents = await readParents(context, unit, current, truths);
      return { truths, parents };
    },
    update(current, { truths, parents }, now) {
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
 * Tells whether the view's watermark equals the unit's newest record, so that the same records were applied before. A batch is of one
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

/** Tells whether every part of the view that this unit is about is as its base item asks for, if base items were read. */
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
 * Tells whether the update adds or removes elements of the edge set. Such an update is written even in a replay on a view that agrees: it
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

/**
 * Reads everything that the base items of a partition ask for in its view, consistently. Writes the missing reverse items of the edges
 * first, and then reads the copied nodes: the fan-out of a later change of these nodes finds the edge.
 */
async function readWholeView(context: ApplyContext, source: string): Promise<WholeView> {
  const { graph } = context;
  const elements = new Map<string, string[]>();
  const targets: string[] = [];
  let attributes: Item | undefined;
  for await (const [target, item] of baseItems(context, source, BASE_ITEMS)) {
    const derived = derivedOf(graph, source, target, item);
    if (target === source) attributes = derived.attributes;
    if (derived.element === undefined) continue;
    elements.set(escapedEdge(target), [derived.element]);
    targets.push(target);
  }
  // rule: reverse-items-before-the-copies-of-a-view-made-whole, first
  await writeMissingReverseItems(context, source, targets, NO_WATERMARK);
  // rule: reverse-items-before-the-copies-of-a-view-made-whole, then
  const copies = await readCopies(context, targets);
  return { elements, attributes, copies };
}

/**
 * Writes the missing reverse items of edges that copy. It runs before the copied nodes are read: the fan-out of a later change has
 * to find the edge.
 */
async function writeMissingReverseItems(
  context: ApplyContext,
  source: string,
  targets: readonly string[],
  watermark: string,
): Promise<void> {
  const edges = targets.flatMap((target) => {
    const base = { source, target };
    return keysInTargetOfView(context.graph, base).map((key) => ({ base, key }));
  });
  const items = await readItems(
    context,
    edges.map(({ key }) => key),
  );
  for (const [i, { base, key }] of edges.entries()) {
    if (items[i]?.[CHILD] === undefined) await reconcileIndexItem(context, base, key, watermark);
  }
}

/** Reconciles the parts of a view that belong to some base items. */
export async function reconcileViewParts(
  context: ApplyContext,
  source: string,
  targets: readonly string[],
  watermark: string,
  corrections?: ViewCorrections,
): Promise<void> {
  const readBases = async (): Promise<Map<string, Item | undefined>> => {
    const items = await readItems(
      context,
      targets.map((target) => ({ source, target })),
    );
    const bases = new Map(targets.map((target, i) => [target, items[i]]));
    // A type that comes back into the set brings all of its edges.
    // rule: edge-type-comes-back-whole
    for (const type of corrections?.unmark ?? []) {
      for await (const [target, item] of baseItems(context, source, { beginsWith: `${type}-` }))
        bases.set(target, item);
    }
    return bases;
  };
  await reconcileWithBaseItems(context, source, watermark, readBases, corrections);
}

/** Reconciles a whole view: with every base item of the partition, and for every element without one. */
export async function reconcileView(context: ApplyContext, source: string, watermark: string): Promise<void> {
  await reconcileWithBaseItems(context, source, watermark, async (view) => {
    const bases = new Map<string, Item | undefined>();
    for await (const [target, item] of baseItems(context, source, BASE_ITEMS)) bases.set(target, item);
    for (const elements of elementsByEdge(view).values()) {
      const key = edgeKeyOfElement(elements[0]!);
      if (decodeElement(elements[0]!) !== undefined && !bases.has(key)) bases.set(key, undefined);
    }
    // The node is added even if it is absent: its attributes may still be in the view.
    if (!bases.has(source)) bases.set(source, undefined);
    return bases;
  });
}

async function reconcileWithBaseItems(
  context: ApplyContext,
  source: string,
  watermark: string,
  readBases: (view: Item | undefined) => Promise<Map<string, Item | undefined>>,
  corrections?: ViewCorrections,
): Promise<void> {
  const { graph } = context;
  await settleView(context, source, {
    watermark,
    async parts(view) {
      const truths = new Map<string, Truth>();
      for (const [target, base] of await readBases(view)) truths.set(target, derivedOf(graph, source, target, base));
      const listed = listedEdges(view, truths, corrections);
      await writeMissingReverseItems(context, source, listed, watermark);
      return { truths, parents: await readCopies(context, listed) };
    },
    update(view, { truths, parents }, now) {
      const unit = unitWithoutImages(source, [...truths.keys()], watermark);
      return slowViewUpdate(graph, unit, view, truths, now, parents, corrections);
    },
  });
}

/** The edges that the view lists after it is reconciled. Edges of evicted types are not in it. */
function listedEdges(
  view: Item | undefined,
  truths: ReadonlyMap<string, Truth>,
  corrections?: ViewCorrections,
): string[] {
  const evicted = new Set(evictedTypes(view));
  for (const type of corrections?.unmark ?? []) evicted.delete(type);
  const listed = [...truths].filter(
    ([target, { element }]) => element !== undefined && !evicted.has(typePrefix(target) ?? ''),
  );
  return listed.map(([target]) => target);
}

/**
 * Makes a unit of a view for some edges, without images of records: a read of the base item decides about each change. Targets that are parts of
 * the node are skipped, as the view does not hold them.
 */
function unitWithoutImages(source: string, targets: readonly string[], watermark: string): ViewUnit {
  // rule: part-is-no-piece-of-the-view
  const shown = targets.filter((target) => target === source || typePrefix(target) !== undefined);
  const changes = shown.map(
    (target): ViewChange => ({
      target,
      oldest: watermark,
      edgeType: target === source ? undefined : typePrefix(target),
      mentioned: [],
    }),
  );
  return { kind: 'view', source, sortKey: VIEW_KEY, changes, records: [], oldest: watermark, newest: watermark };
}

/** Yields the base items of a partition in a range of sort keys, each with its sort key. */
async function* baseItems(
  { store, stats, graph }: ApplyContext,
  source: string,
  sortKey: QueryRequest['sortKey'],
): AsyncGenerator<[target: string, item: Item]> {
  const items = queriedItems(store, { partition: source, sortKey, consistent: true }, stats);
  for await (const item of items) yield [stringOf(item[graph.table.sortKey]) ?? '', item];
}
