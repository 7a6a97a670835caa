import type { ItemHistory } from '../fold/fold.ts';
import { sameItem } from '../items/attribute-value.ts';
import type { ChangeRecord } from '../items/change-record.ts';
import { degreeKey, typePrefix, VIEW_KEY } from '../items/keys.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { ItemPlanner } from './derive.ts';
import type { Derived } from './derived.ts';
import { continuationUnit, fanOutUnits } from './fan-out.ts';
import type { CountedUnit, IndexUnit, QuarantineUnit, Unit, ViewChange } from './unit.ts';

/**
 * Units: what one batch changes in one derived item; each is applied atomically, and units of a batch are independent.
 *
 * Two traps shape them. *No net-zero*: `[INSERT]` may have been applied by an earlier cut of the same records, so
 * `[INSERT, REMOVE]` has to be written as a removal. *No netted chains*: for each edge every element that any record
 * mentions is remembered, and all but the final one are removed. A unit is left out only where each of its records
 * leaves the derived value as it is.
 */

/** Plans the units of one partition. */
export function planUnits(graph: CompiledModel, source: string, histories: readonly ItemHistory[]): Unit[] {
  const units: Unit[] = [];
  const viewChanges: ViewChange[] = [];
  const viewRecords: ChangeRecord[] = [];
  const counted = new Map<string, IndexUnit[]>();
  for (const history of histories) {
    const continuation = continuationUnit(graph, history);
    if (continuation !== undefined) units.push(continuation);
    const steps = stepsOf(graph, history);
    const change = viewChange(history, steps, viewRecords);
    if (change !== undefined) viewChanges.push(change);
    const edgeType = countedType(graph, history);
    if (edgeType === undefined) {
      units.push(...indexUnits(history, steps));
    } else {
      counted.set(edgeType, [...(counted.get(edgeType) ?? []), ...indexUnits(history, steps)]);
    }
    units.push(...reverseUnits(history, steps), ...fanOutUnits(graph, history));
    const quarantine = quarantineUnit(history, steps);
    if (quarantine !== undefined) units.push(quarantine);
  }
  for (const [edgeType, items] of counted) if (items.length > 0) units.push(countedUnit(edgeType, items));
  if (viewChanges.length > 0) {
    units.push({
      kind: 'view',
      source,
      sortKey: VIEW_KEY,
      changes: viewChanges,
      records: viewRecords,
      ...span(viewRecords),
    });
  }
  return units;
}

/** One record and what its two images want. */
interface Step {
  record: ChangeRecord;
  before: Derived;
  after: Derived;
}

function stepsOf(graph: CompiledModel, { source, target, records }: ItemHistory): Step[] {
  const planner = new ItemPlanner(graph, source, target);
  return records.map((record) => ({
    record,
    before: planner.derive(record.oldImage),
    after: planner.derive(record.newImage),
  }));
}

/** The oldest and the newest position of records, of which there is one at least. */
export function span(records: readonly ChangeRecord[]): { oldest: string; newest: string } {
  let oldest = records[0]!.position;
  let newest = oldest;
  for (const { position } of records) {
    if (position < oldest) oldest = position;
    if (position > newest) newest = position;
  }
  return { oldest, newest };
}

function viewChange(history: ItemHistory, steps: readonly Step[], viewRecords: ChangeRecord[]): ViewChange | undefined {
  const changing = steps.filter(({ before, after }) => !sameInView(before, after));
  if (changing.length === 0) return undefined;
  for (const { record } of changing) viewRecords.push(record);
  const mentioned = new Set<string>();
  for (const { before, after } of changing) {
    if (before.element !== undefined) mentioned.add(before.element);
    if (after.element !== undefined) mentioned.add(after.element);
  }
  const final = steps.at(-1)!.after;
  return {
    target: history.target,
    oldest: changing[0]!.record.position,
    edgeType: history.source === history.target ? undefined : typePrefix(history.target),
    mentioned,
    element: final.element,
    attributes: final.attributes,
  };
}

function sameInView(before: Derived, after: Derived): boolean {
  return before.element === after.element && sameItem(before.attributes, after.attributes);
}

/** The edge type of a base item whose edges are counted. */
function countedType(graph: CompiledModel, { source, target }: ItemHistory): string | undefined {
  const edgeType = source === target ? undefined : typePrefix(target);
  return edgeType !== undefined && graph.edges.get(edgeType)?.degree === true ? edgeType : undefined;
}

/** Counted items of one type and node as one unit; a transaction takes up to a hundred of them. */
export function countedUnit(edgeType: string, items: readonly IndexUnit[]): CountedUnit {
  const records = items.flatMap((item) => item.records);
  return {
    kind: 'counted',
    source: items[0]!.source,
    sortKey: degreeKey(edgeType),
    edgeType,
    items,
    records,
    ...span(records),
  };
}

function indexUnits(history: ItemHistory, steps: readonly Step[]): IndexUnit[] {
  if (steps.every(({ before, after }) => before.indexItems.size === 0 && after.indexItems.size === 0)) return [];
  const units: IndexUnit[] = [];
  const sortKeys = new Set<string>();
  for (const { before, after } of steps) {
    for (const key of before.indexItems.keys()) sortKeys.add(key);
    for (const key of after.indexItems.keys()) sortKeys.add(key);
  }
  const final = steps.at(-1)!.after;
  for (const sortKey of sortKeys) {
    const changing = steps.filter(
      ({ before, after }) => !sameItem(before.indexItems.get(sortKey), after.indexItems.get(sortKey)),
    );
    if (changing.length === 0) continue;
    const records = changing.map(({ record }) => record);
    const wanted = final.indexItems.get(sortKey);
    units.push({
      kind: 'index',
      source: history.source,
      sortKey,
      base: { source: history.source, target: history.target },
      wanted,
      records,
      ...span(records),
    });
  }
  return units;
}

/** The unit of an edge's reverse item: whatever becomes of the edge, it is the same item. */
function reverseUnits({ source, target }: ItemHistory, steps: readonly Step[]): IndexUnit[] {
  const changing = steps.filter(({ before, after }) => !sameItem(before.reverse?.fields, after.reverse?.fields));
  if (changing.length === 0) return [];
  const { key } = (changing[0]!.before.reverse ?? changing[0]!.after.reverse)!;
  const records = changing.map(({ record }) => record);
  return [
    {
      kind: 'index',
      source: key.source,
      sortKey: key.target,
      base: { source, target },
      wanted: steps.at(-1)!.after.reverse?.fields,
      records,
      ...span(records),
    },
  ];
}

/** Only the state that the batch ends in can be stuck: what an earlier record got wrong, a later one mended. */
function quarantineUnit(history: ItemHistory, steps: readonly Step[]): QuarantineUnit | undefined {
  const { record, after } = steps.at(-1)!;
  if (after.problems.length === 0) return undefined;
  const derivedKeys = new Set<string>();
  for (const step of steps) {
    for (const derived of [step.before, step.after]) {
      if (derived.element !== undefined || derived.attributes !== undefined) derivedKeys.add(VIEW_KEY);
      for (const key of derived.indexItems.keys()) derivedKeys.add(key);
    }
  }
  return {
    kind: 'quarantine',
    source: history.source,
    sortKey: '',
    target: history.target,
    problems: after.problems,
    derivedKeys: [...derivedKeys],
    records: [record],
    oldest: record.position,
    newest: record.position,
  };
}
