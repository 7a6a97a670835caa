import { StoreError } from '../errors.ts';
import { type Item, stringOf } from '../items/attribute-value.ts';
import { WATERMARK } from '../items/derived-item.ts';
import { VIEW_KEY } from '../items/keys.ts';
import { evictedTypes } from '../items/stored-view.ts';
import type { ParentCopies } from '../plan/copies.ts';
import { derivedOf } from '../plan/derive.ts';
import { isOfOtherShape } from '../plan/shape.ts';
import type { Truth, ViewChange, ViewUnit } from '../plan/unit.ts';
import { isOverBudget, viewBudgetBytes } from '../plan/writes/eviction.ts';
import { isFenced, isStale } from '../plan/writes/stale.ts';
import { contradictions, evictionUpdate, fastViewUpdate, slowViewUpdate } from '../plan/writes/updates.ts';
import { readItem, readItems } from '../store/pages.ts';
import type { DerivedUpdate, UpdateResult } from '../store/port.ts';
import { type ApplyContext, checkTime, epochSeconds, updateItem } from './context.ts';
import { readCopies } from './copies.ts';
import { remakeView } from './whole-view.ts';

/** Whether a view unit has to see the view before it can be written, so that a prefetch pays. */
export function needsView(context: ApplyContext, unit: ViewUnit): boolean {
  return fastViewUpdate(context.graph, unit, context.evicted?.of(unit.source)) === undefined;
}

/**
 * Applies a view unit. Fast path: one unread update, if all of the unit's records are newer than the view. Slow path:
 * the view first (a failed condition returns it for free), then the base items that contradictions are settled by, then
 * the nodes that the unit's edges copy from, then a write under the revision seen. On a conflict all of it is read again,
 * the view first: what is kept across tries may be older than the view it is written to.
 *
 * `prefetched`: the view as it was read for the slow path; `item` is undefined where there is none.
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
  const fast = prefetched === undefined ? fastViewUpdate(graph, unit, context.evicted?.of(unit.source)) : undefined;
  if (prefetched !== undefined) {
    current = prefetched.item;
  } else if (fast !== undefined) {
    const result = await fastUpdate(context, fast);
    if (result?.applied) return await keepWithinBudget(context, unit.source, result.wcu);
    current = result === undefined ? await readView(context, unit.source) : result.current;
  } else {
    current = await readView(context, unit.source);
  }
  if (isStale(unit.oldest, current) || isFenced(unit.records, current)) stats.stale += 1;
  for (;;) {
    checkTime(context);
    if (isOfOtherShape(graph, unit.source, current)) {
      const remade = await updateItem(context, await remakeView(context, unit.source, current, unit.newest));
      if (remade.applied) break;
      current = remade.current;
      continue;
    }
    // rule: contradictions-are-reconciled-by-base-items
    // rule: base-items-are-read-after-the-view
    const truths = await readTruths(context, unit, contradictions(unit, current));
    // rule: view-before-parents, then
    const parents = await readParents(context, unit, current, truths);
    const update = slowViewUpdate(graph, unit, current, truths, epochSeconds(context), parents);
    // rule: replay-still-evicts
    if (isPlainReplay(unit, current) && isAgreed(unit, current, truths) && !movesElements(update)) return;
    // rule: stale-unit-leaves-a-trace
    const result = await updateItem(context, update);
    if (result.applied) return context.evicted?.note(unit.source, evictedTypes(update.set));
    current = result.current;
  }
}

/**
 * Whether the view's watermark is the unit's own newest record, so that the same records were applied before: a batch is of
 * one shard, whose positions rise, so nothing of the unit can be newer than that write.
 *
 * Only such a unit may leave a view that agrees with it as it is, which spares a replay half of its cost. Any other stale
 * unit leaves a trace in the revision, or a concurrent worker that holds an older read could still write.
 */
function isPlainReplay(unit: ViewUnit, current: Item | undefined): boolean {
  return stringOf(current?.[WATERMARK]) === unit.newest;
}

/**
 * What the unit's edges copy of their parents, where they are in the view after it; what other edges copy stays as it is,
 * since the fan-out keeps it. Edges that agree with the view count too: the worker that put them there may have read the parent
 * before their reverse items were there. A plain replay reads none: the same unit has read them then.
 */
async function readParents(
  context: ApplyContext,
  unit: ViewUnit,
  current: Item | undefined,
  truths: ReadonlyMap<string, Truth>,
): Promise<ParentCopies> {
  if (isPlainReplay(unit, current) && isAgreed(unit, current, truths)) return new Map();
  const evicted = evictedTypes(current);
  const edges = unit.changes
    .filter((change) => (truths.get(change.target) ?? change).element !== undefined)
    .filter(({ edgeType = '' }) => !evicted.has(edgeType))
    .map(({ target }) => target);
  return await readCopies(context, edges);
}

/** Whether the view has every part as the base items want it that were read for it, if any. */
function isAgreed(unit: ViewUnit, current: Item | undefined, truths: ReadonlyMap<string, Truth>): boolean {
  if (truths.size === 0) return true;
  // What contradicts an image is written again, though it agrees with the base item: it leaves a trace for a stalled twin.
  if (unit.changes.some(({ target, byBase }) => byBase !== true && truths.has(target))) return false;
  const changes = unit.changes.map((change): ViewChange => {
    const { target, oldest, edgeType, mentioned } = change;
    return truths.has(target) ? { target, oldest, edgeType, mentioned, ...truths.get(target) } : change;
  });
  return contradictions({ ...unit, changes }, current).length === 0;
}

/** A view that agrees and has grown beyond its budget still has to evict: the first try may have died before that. */
function movesElements({ addElements = [], deleteElements = [], setElements = [] }: DerivedUpdate): boolean {
  return addElements.length + deleteElements.length + setElements.length > 0;
}

/** The fast path's update; undefined where DynamoDB refuses it, as for a view beyond 400 KB, which may fit when seen. */
async function fastUpdate(context: ApplyContext, update: DerivedUpdate): Promise<UpdateResult | undefined> {
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
 * Evicts edge types from a view that an unread write left beyond its budget; the write's capacity tells. A crash before
 * it leaves a view that is too large, and the next write tells again.
 */
async function keepWithinBudget(context: ApplyContext, source: string, wcu: number): Promise<void> {
  const { graph } = context;
  // rule: too-large-a-view-is-evicted
  if (!isOverBudget(wcu, viewBudgetBytes(graph, source))) return;
  let view = await readView(context, source);
  while (view !== undefined && !isOfOtherShape(graph, source, view)) {
    // rule: eviction-is-written-under-the-revision-seen
    const update = evictionUpdate(graph, source, view, epochSeconds(context));
    if (update === undefined) return;
    checkTime(context);
    const result = await updateItem(context, update);
    if (result.applied) return context.evicted?.note(source, evictedTypes(update.set));
    view = result.current;
  }
}

async function readTruths(
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
