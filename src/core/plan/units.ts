import { VIEW_KEY } from '../items/keys.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { reconcileViewBefore, withSharedContradiction } from './by-base.ts';
import { derivedSteps } from './derive.ts';
import { continuationUnit, fanOutUnits, mergedFanOuts } from './fan-out.ts';
import type { ItemHistory } from './fold.ts';
import { addUnitsOfIndexItems } from './index-units.ts';
import { countedUnit, type IndexedUnits, joinedUnit } from './joint-units.ts';
import { endsUnderivable, type Planned, quarantineUnit } from './quarantine-unit.ts';
import { planOfKey, plansOfSource, type TypePlan } from './type-plans.ts';
import { type FanOutUnit, positionSpan, type Unit } from './unit.ts';
import { type ViewChanges, viewChange, withAdded } from './view-units.ts';

/**
 * Units: the changes of one batch to one derived item. Each is applied atomically, and the units of a batch are independent.
 *
 * Two traps shape them. *No net-zero*: `[INSERT]` may have been applied by an earlier cut of the same records, so
 * `[INSERT, REMOVE]` has to be written as a removal. *No netted chains*: for each edge every element in any record is remembered,
 * and all but the final one are removed. A unit is left out only if each of its records leaves the derived value unchanged.
 */

const NONE: readonly never[] = [];

function planned(plan: TypePlan, history: ItemHistory): Planned {
  return { plan, steps: derivedSteps(plan, history) };
}

/** Plans the units of a batch that was folded. */
export function planBatch(graph: CompiledModel, folded: ReadonlyMap<string, readonly ItemHistory[]>): Unit[] {
  // One list for all partitions: most of them have a unit or two, and a list that grows gets room for seventeen.
  const units: Unit[] = [];
  for (const [source, histories] of folded) addUnits(graph, source, histories, units);
  return units;
}

/** Adds the units of one partition to those of its batch. */
function addUnits(graph: CompiledModel, source: string, histories: readonly ItemHistory[], units: Unit[]): void {
  const view: ViewChanges = { changes: undefined, records: undefined };
  let fanOuts: readonly FanOutUnit[] = NONE;
  const indexed: IndexedUnits = { units, counted: undefined, joined: undefined };
  const viewBefore = reconcileViewBefore(graph, source, histories);
  const plans = plansOfSource(graph, source);
  const further = graph.further?.map((layer) => plansOfSource(layer, source, true)) ?? NONE;
  for (const folded of histories) {
    const history = withSharedContradiction(folded);
    const continuation = continuationUnit(graph, history);
    if (continuation !== undefined) units.push(continuation);
    const plan = planOfKey(plans, source, history.target);
    const steps = derivedSteps(plan, history);
    const change = viewChange(history, plan.kind === 'edge' ? plan.type : undefined, steps, view, viewBefore);
    if (change !== undefined) view.changes = withAdded(view.changes, change);
    addUnitsOfIndexItems(history, plan, steps, viewBefore, indexed);
    const alsoPlanned =
      further.length === 0 ? NONE : further.map((also) => planned(planOfKey(also, source, history.target), history));
    for (const also of alsoPlanned) addUnitsOfIndexItems(history, also.plan, also.steps, viewBefore, indexed);
    // An edge has none, and most records are of edges.
    if (plan.kind !== 'edge') fanOuts = joinedLists(fanOuts, fanOutUnits(graph, history));
    if (endsUnderivable(steps) || alsoPlanned.some((also) => endsUnderivable(also.steps))) {
      units.push(quarantineUnit(history, [{ plan, steps }, ...alsoPlanned]));
    }
  }
  if (fanOuts.length > 0) units.push(...mergedFanOuts(fanOuts));
  const { counted, joined } = indexed;
  if (joined !== undefined && joined.length > 0) units.push(joinedUnit(joined));
  for (const { countName, items } of counted?.values() ?? NONE)
    if (items.length > 0) units.push(countedUnit(countName, items));
  if (view.changes !== undefined) {
    const { changes, records = NONE } = view;
    const { oldest, newest } = positionSpan(records);
    units.push({ kind: 'view', source, sortKey: VIEW_KEY, changes, records, oldest, newest });
  }
}

/** Both lists as one; a new one only if both have elements. */
function joinedLists<T>(first: readonly T[], second: readonly T[]): readonly T[] {
  if (second.length === 0) return first;
  return first.length === 0 ? second : [...first, ...second];
}
