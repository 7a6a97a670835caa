import type { ItemHistory } from '../fold/fold.ts';
import { type Item, sameItem } from '../model/attribute-value.ts';
import type { AnyGraph } from '../model/graph.ts';
import { degreeKey, typePrefix, VIEW_KEY } from '../model/keys.ts';
import type { ChangeRecord } from '../stream/record.ts';
import { type Derived, ItemPlanner, type Problem } from './derive.ts';

/**
 * Units: what one batch changes in one derived item; each is applied atomically, and units of a batch are independent.
 *
 * Two traps shape them. *No net-zero*: `[INSERT]` may have been applied by an earlier cut of the same records, so
 * `[INSERT, REMOVE]` has to be written as a removal. *No netted chains*: for each edge every element that any record
 * mentions is remembered, and all but the final one are removed. A unit is left out only where each of its records
 * leaves the derived value as it is.
 */

/** What a batch says of one base item's part in a view. */
export interface ViewChange {
  /** The base item's sort key. */
  target: string;
  /** Position of its oldest record that changes the view. */
  oldest: string;
  /** The edge type; undefined for the node itself. */
  edgeType?: string;
  /** Every element that any record mentions, the final one included. */
  mentioned: ReadonlySet<string>;
  /** The element after the newest record; undefined where there is none. */
  element?: string;
  /** The node's projected attributes after the newest record; undefined where the node is absent. */
  attributes?: Item;
}

/** What all units have. */
interface UnitBase {
  source: string;
  /** Sort key of the derived item. */
  sortKey: string;
  /** Position of the oldest and the newest record that changes the derived item. */
  oldest: string;
  newest: string;
  /** The records it is made of; a failure is reported with the lowest sequence number of them. */
  records: readonly ChangeRecord[];
}

/** The changes of one batch to one view. */
export interface ViewUnit extends UnitBase {
  kind: 'view';
  changes: readonly ViewChange[];
}

/** The changes of one batch to one index item. */
export interface IndexUnit extends UnitBase {
  kind: 'index';
  /** The base item's sort key. */
  target: string;
  /** The wanted fields after the newest record; undefined: a tombstone. */
  wanted?: Item;
}

/** The changes of one batch to the index items of edges of one type that are counted, and to their count. */
export interface CountedUnit extends UnitBase {
  kind: 'counted';
  edgeType: string;
  items: readonly IndexUnit[];
}

/** A record to be quarantined: what could not be derived, and the derived keys that its images concern. */
export interface QuarantineUnit extends UnitBase {
  kind: 'quarantine';
  /** The base item's sort key. */
  target: string;
  problems: readonly Problem[];
  /** Sort keys of derived items of every image in the batch. */
  derivedKeys: readonly string[];
}

/** One piece of work of a batch. */
export type Unit = ViewUnit | IndexUnit | CountedUnit | QuarantineUnit;

/** Plans the units of one partition. */
export function planUnits(graph: AnyGraph, source: string, histories: readonly ItemHistory[]): Unit[] {
  const units: Unit[] = [];
  const viewChanges: ViewChange[] = [];
  const viewRecords: ChangeRecord[] = [];
  const counted = new Map<string, IndexUnit[]>();
  for (const history of histories) {
    const steps = stepsOf(graph, history);
    const change = viewChange(history, steps, viewRecords);
    if (change !== undefined) viewChanges.push(change);
    const edgeType = countedType(graph, history);
    if (edgeType === undefined) {
      units.push(...indexUnits(history, steps));
    } else {
      counted.set(edgeType, [...(counted.get(edgeType) ?? []), ...indexUnits(history, steps)]);
    }
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

function stepsOf(graph: AnyGraph, { source, target, records }: ItemHistory): Step[] {
  const planner = new ItemPlanner(graph, source, target);
  return records.map((record) => ({
    record,
    before: planner.derive(record.oldImage),
    after: planner.derive(record.newImage),
  }));
}

function span(records: readonly ChangeRecord[]): { oldest: string; newest: string } {
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
function countedType(graph: AnyGraph, { source, target }: ItemHistory): string | undefined {
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
      target: history.target,
      wanted,
      records,
      ...span(records),
    });
  }
  return units;
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
