import { derive } from '../plan/derive.ts';
import type { IndexUnit } from '../plan/units.ts';
import { indexUpdate, isAsWanted, settledIndexUpdate } from '../plan/writes.ts';
import { type ApplyContext, checkTime, countedUpdate, epochSeconds } from './context.ts';

/**
 * Applies an index unit: one unread update if the item is older. Otherwise the item, which the failed condition
 * returned, either is what the unit wants, or the base item decides, written under the revision seen.
 */
export async function applyIndexUnit(context: ApplyContext, unit: IndexUnit): Promise<void> {
  const { graph, store, stats } = context;
  let result = await countedUpdate(context, indexUpdate(graph, unit, epochSeconds(context)));
  if (result.applied) return;
  stats.stale += 1;
  while (!result.applied) {
    checkTime(context);
    const { current } = result;
    if (isAsWanted(current, unit.wanted)) return;
    stats.contradictions += 1;
    const base = await store.get({ source: unit.source, target: unit.target }, { consistent: true });
    stats.rcu += base.rcu;
    const truth = derive(graph, unit.source, unit.target, base.item).indexItems.get(unit.sortKey);
    result = await countedUpdate(context, settledIndexUpdate(graph, unit, current, truth, epochSeconds(context)));
  }
}
