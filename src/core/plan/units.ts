import { sameItem } from '../items/attribute-value.ts';
import type { ChangeRecord } from '../items/change-record.ts';
import { VIEW_KEY } from '../items/keys.ts';
import type { DerivedImage } from '../kinds/derived.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { isDecidedByBase, reconcileViewBefore, withSharedContradiction } from './by-base.ts';
import { type DerivedStep, derivedSteps, problemsOf } from './derive.ts';
import { continuationUnit, fanOutUnits } from './fan-out.ts';
import type { ItemHistory } from './fold.ts';
import { addTexts, addUnitsOfIndexItems, type IndexedUnits } from './index-units.ts';
import { joinedKeys, planOfKey, plansOfSource, type TypePlan } from './type-plans.ts';
import {
  countedUnit,
  type FanOutUnit,
  joinedUnit,
  positionSpan,
  type QuarantineUnit,
  type Unit,
  type ViewChange,
} from './unit.ts';

/**
 * Units: the changes of one batch to one derived item. Each is applied atomically, and the units of a batch are independent.
 *
 * Two traps shape them. *No net-zero*: `[INSERT]` may have been applied by an earlier cut of the same records, so
 * `[INSERT, REMOVE]` has to be written as a removal. *No netted chains*: for each edge every element in any record is remembered,
 * and all but the final one are removed. A unit is left out only if each of its records leaves the derived value unchanged.
 */

const NONE: readonly never[] = [];

/** A history with its steps in one model. */
interface Planned {
  plan: TypePlan;
  steps: readonly DerivedStep[];
}

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

/** One unit for each continuation: a node and its parts may have changed in one batch. */
function mergedFanOuts(fanOuts: readonly FanOutUnit[]): readonly FanOutUnit[] {
  if (fanOuts.length < 2) return fanOuts;
  const merged = new Map<string, FanOutUnit>();
  for (const unit of fanOuts) {
    const present = merged.get(unit.sortKey);
    const records = [...(present?.records ?? []), ...unit.records];
    merged.set(unit.sortKey, present === undefined ? unit : { ...present, records, ...positionSpan(records) });
  }
  return [...merged.values()];
}

/** The changes of a partition to its view, and their records; undefined: none yet. */
interface ViewChanges {
  changes: ViewChange[] | undefined;
  records: ChangeRecord[] | undefined;
}

/** The change of a base item's part in the view, whose records it adds; undefined if no record changes it. */
function viewChange(
  history: ItemHistory,
  edgeType: string | undefined,
  steps: readonly DerivedStep[],
  view: ViewChanges,
  settleBefore: number,
): ViewChange | undefined {
  let oldest: string | undefined;
  let byBase = false;
  let mentioned: readonly string[] = NONE;
  let all: Set<string> | undefined;
  for (const { record, before, after } of steps) {
    if (sameInView(before, after)) continue;
    if (oldest === undefined) mentioned = elementsOf(before, after);
    else all = addTexts(all ?? new Set(mentioned), elementsOf(before, after));
    oldest ??= record.position;
    view.records = withAdded(view.records, record);
    if (isDecidedByBase(record, settleBefore)) byBase = true;
  }
  // rule: no-net-zero-in-views
  if (oldest === undefined) return undefined;
  // rule: no-netted-chains
  const { element, attributes } = steps.at(-1)!.after;
  const change: ViewChange = {
    target: history.target,
    oldest,
    edgeType,
    mentioned: all === undefined ? mentioned : [...all],
    element,
    attributes,
  };
  // rule: node-attributes-go-in-whole
  return byBase ? { ...change, byBase } : change;
}

/** A list with one more value. The literal has room for just one, which is all that most partitions have. */
function withAdded<T>(list: T[] | undefined, value: T): T[] {
  if (list === undefined) return [value];
  list.push(value);
  return list;
}

/** The elements of two images. An array literal has room for exactly its elements; an array that grows gets room for seventeen. */
function elementsOf({ element: before }: DerivedImage, { element: after }: DerivedImage): readonly string[] {
  if (before === undefined) return after === undefined ? NONE : [after];
  return after === undefined ? [before] : [before, after];
}

function sameInView(before: DerivedImage, after: DerivedImage): boolean {
  return before.element === after.element && sameItem(before.attributes, after.attributes);
}

/** Tells whether the final state of the batch cannot be derived. A mistake of an earlier record that a later one corrects does not count. */
function endsUnderivable(steps: readonly DerivedStep[]): boolean {
  return steps.at(-1)!.after.problems.length > 0;
}

function quarantineUnit(history: ItemHistory, planned: readonly Planned[]): QuarantineUnit {
  const { record } = planned[0]!.steps.at(-1)!;
  const problems = problemsOf(planned.map(({ steps }) => steps.at(-1)!.after));
  const derivedKeys = new Set<string>();
  const ofJoined = planned.flatMap(({ plan }) => joinedKeys(plan, history.target));
  for (const step of planned.flatMap(({ steps }) => steps)) {
    for (const derived of [step.before, step.after]) {
      if (derived.element !== undefined || derived.attributes !== undefined) derivedKeys.add(VIEW_KEY);
      for (const [i, key] of derived.keys.entries()) if (derived.fields[i] !== undefined) derivedKeys.add(key);
      if (derived.shares !== undefined) for (const key of ofJoined) derivedKeys.add(key);
    }
  }
  return {
    kind: 'quarantine',
    source: history.source,
    sortKey: '',
    target: history.target,
    problems,
    derivedKeys: [...derivedKeys],
    records: [record],
    oldest: record.position,
    newest: record.position,
  };
}
