import { wantedFields } from '../plan/copies.ts';
import { derive } from '../plan/derive.ts';
import type { IndexUnit } from '../plan/units.ts';
import { indexUpdate, isAsWanted, settledIndexUpdate } from '../plan/writes.ts';
import { type ApplyContext, checkTime, countedUpdate, epochSeconds } from './context.ts';

/**
 * Applies an index unit, of an index item or a reverse item: one unread update if the item is older. Otherwise the item, which the failed condition
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
    const { source, target } = unit.base;
    const base = await store.get({ source, target }, { consistent: true });
    stats.rcu += base.rcu;
    const truth = wantedFields(derive(graph, source, target, base.item), unit.sortKey);
    result = await countedUpdate(context, settledIndexUpdate(graph, unit, current, truth, epochSeconds(context)));
  }
}
