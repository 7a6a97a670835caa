import type { Item } from '../model/attribute-value.ts';
import { derive } from '../plan/derive.ts';
import type { ViewChange, ViewUnit } from '../plan/units.ts';
import { contradictions, fastViewUpdate, isStale, slowViewUpdate, type Truth } from '../plan/writes.ts';
import { type ApplyContext, checkTime, countedUpdate, epochSeconds } from './context.ts';

/** Whether a view unit has to see the view before it can be written, so that a prefetch pays. */
export function needsView(context: ApplyContext, unit: ViewUnit): boolean {
  return fastViewUpdate(context.graph, unit) === undefined;
}

/**
 * Applies a view unit. Fast path: one unread update, if all of the unit's records are newer than the view. Slow path:
 * the view first (a failed condition returns it for free), then the base items that contradictions are settled by, then
 * a write under the revision seen; on a conflict both are read again, the view first, since a truth that is kept across
 * tries may be older than the view it is written to.
 *
 * `prefetched`: the view as it was read for the slow path; `item` is undefined where there is none.
 */
export async function applyViewUnit(
  context: ApplyContext,
  unit: ViewUnit,
  prefetched?: { item: Item | undefined },
): Promise<void> {
  const { graph, store, stats } = context;
  let current: Item | undefined;
  const fast = prefetched === undefined ? fastViewUpdate(graph, unit) : undefined;
  if (prefetched !== undefined) {
    current = prefetched.item;
  } else if (fast !== undefined) {
    const result = await countedUpdate(context, fast);
    if (result.applied) return;
    current = result.current;
  } else {
    const result = await store.get({ source: unit.source, target: unit.sortKey }, { consistent: true });
    stats.rcu += result.rcu;
    current = result.item;
  }
  if (isStale(unit.oldest, current)) stats.stale += 1;
  for (;;) {
    checkTime(context);
    const truths = await readTruths(context, unit, contradictions(unit, current));
    const update = slowViewUpdate(graph, unit, current, truths, epochSeconds(context));
    const result = await countedUpdate(context, update);
    if (result.applied) return;
    current = result.current;
  }
}

async function readTruths(
  context: ApplyContext,
  unit: ViewUnit,
  changes: readonly ViewChange[],
): Promise<Map<string, Truth>> {
  if (changes.length === 0) return new Map();
  context.stats.contradictions += changes.length;
  const keys = changes.map(({ target }) => ({ source: unit.source, target }));
  const { items, rcu } = await context.store.getMany(keys, { consistent: true });
  context.stats.rcu += rcu;
  return new Map(keys.map(({ target }, i) => [target, derive(context.graph, unit.source, target, items[i])]));
}
