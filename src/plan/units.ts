import type { ItemHistory } from '../fold/fold.ts';
import { sameItem } from '../items/attribute-value.ts';
import type { ChangeRecord } from '../items/change-record.ts';
import { countNameOf, degreeKey, VIEW_KEY } from '../items/keys.ts';
import { KeyClassifier } from '../model/base-item.ts';
import { type CompiledModel, type EdgeModel, layersOf } from '../model/compiled.ts';
import { isBefore, settleBeforeOfView } from './by-base.ts';
import { ItemPlanner, problemsOf } from './derive.ts';
import { type DerivedImage, fieldsOf, settleBeforeOf } from './derived.ts';
import { continuationUnit, fanOutUnits } from './fan-out.ts';
import { sameShare } from './parts/joined-items.ts';
import {
  type CountedUnit,
  type IndexUnit,
  type JoinedUnit,
  type QuarantineUnit,
  span,
  type Unit,
  type ViewChange,
} from './unit.ts';

/**
 * Units: what one batch changes in one derived item; each is applied atomically, and units of a batch are independent.
 *
 * Two traps shape them. *No net-zero*: `[INSERT]` may have been applied by an earlier cut of the same records, so
 * `[INSERT, REMOVE]` has to be written as a removal. *No netted chains*: for each edge every element that any record
 * mentions is remembered, and all but the final one are removed. A unit is left out only where each of its records
 * leaves the derived value as it is.
 */

const NONE: readonly never[] = [];

/** Plans the units of one partition. */
export function planUnits(graph: CompiledModel, source: string, histories: readonly ItemHistory[]): Unit[] {
  const units: Unit[] = [];
  const viewChanges: ViewChange[] = [];
  const viewRecords: ChangeRecord[] = [];
  const counted = new Map<string, IndexUnit[]>();
  const joined: IndexUnit[] = [];
  const layers = layersOf(graph).map((layer) => new KeyClassifier(layer, source));
  const viewBefore = settleBeforeOfView(graph, source, histories);
  for (const history of histories) {
    const continuation = continuationUnit(graph, history);
    if (continuation !== undefined) units.push(continuation);
    const planned = layers.length === 1 ? [plan(layers[0]!, history)] : layers.map((layer) => plan(layer, history));
    const { planner, steps } = planned[0]!;
    const change = viewChange(history, planner.edge?.type, steps, viewRecords, viewBefore);
    if (change !== undefined) viewChanges.push(change);
    for (const layer of planned) {
      addIndexUnits(history, layer.steps, countedUnits(layer.planner.edge, counted) ?? units);
      addJoinedUnits(history, layer, joined);
    }
    if (planner.edge?.copy !== undefined) addReverseUnit(history, steps, viewBefore, units);
    if (source === history.target) units.push(...fanOutUnits(graph, history));
    const quarantine = quarantineUnit(history, planned);
    if (quarantine !== undefined) units.push(quarantine);
  }
  if (joined.length > 0) units.push(joinedUnit(joined));
  for (const [name, items] of counted) if (items.length > 0) units.push(countedUnit(name, items));
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
  before: DerivedImage;
  after: DerivedImage;
}

/** A history as one model sees it. */
interface Planned {
  planner: ItemPlanner;
  steps: readonly Step[];
}

function plan(layer: KeyClassifier, { source, target, records }: ItemHistory): Planned {
  const planner = new ItemPlanner(layer.graph, source, target, layer);
  // Most items change once in a batch.
  const steps =
    records.length === 1 ? [stepOf(planner, records[0]!)] : records.map((record) => stepOf(planner, record));
  return { planner, steps };
}

function stepOf(planner: ItemPlanner, record: ChangeRecord): Step {
  return {
    record,
    before: planner.derive(record.oldImage),
    after: planner.derive(record.newImage),
  };
}

function viewChange(
  history: ItemHistory,
  edgeType: string | undefined,
  steps: readonly Step[],
  viewRecords: ChangeRecord[],
  settleBefore: number,
): ViewChange | undefined {
  let oldest: string | undefined;
  let byBase = false;
  let mentioned: readonly string[] = NONE;
  let all: Set<string> | undefined;
  for (const { record, before, after } of steps) {
    if (sameInView(before, after)) continue;
    if (oldest === undefined) mentioned = elementsOf(before, after);
    else all = withTexts(all ?? new Set(mentioned), elementsOf(before, after));
    oldest ??= record.position;
    viewRecords.push(record);
    if (isBefore(record, settleBefore)) byBase = true;
  }
  if (oldest === undefined) return undefined;
  const { element, attributes } = steps.at(-1)!.after;
  const change: ViewChange = {
    target: history.target,
    oldest,
    edgeType,
    mentioned: all === undefined ? mentioned : [...all],
    element,
    attributes,
  };
  return byBase ? { ...change, byBase } : change;
}

/** The elements of two images. An array that is written out has room for what it holds; one that grows has room for seventeen. */
function elementsOf({ element: before }: DerivedImage, { element: after }: DerivedImage): readonly string[] {
  if (before === undefined) return after === undefined ? NONE : [after];
  return after === undefined ? [before] : [before, after];
}

function sameInView(before: DerivedImage, after: DerivedImage): boolean {
  return before.element === after.element && sameItem(before.attributes, after.attributes);
}

/** Where the index units of an edge type go that is counted; undefined where it is not. */
function countedUnits(edge: EdgeModel | undefined, counted: Map<string, IndexUnit[]>): IndexUnit[] | undefined {
  if (edge?.degree !== true) return undefined;
  const name = countNameOf(edge.type, edge.generation);
  let units = counted.get(name);
  if (units === undefined) {
    units = [];
    counted.set(name, units);
  }
  return units;
}

/** Counted items of one type and node as one unit; a transaction takes up to a hundred of them. */
export function countedUnit(countName: string, items: readonly IndexUnit[]): CountedUnit {
  const records = items.flatMap((item) => item.records);
  return {
    kind: 'counted',
    source: items[0]!.source,
    sortKey: degreeKey(countName),
    countName,
    items,
    records,
    ...span(records),
  };
}

/** Adds a unit for each index item that a record of the history changes. */
function addIndexUnits(history: ItemHistory, steps: readonly Step[], units: Unit[] | IndexUnit[]): void {
  const { source, target } = history;
  const { after: final } = steps.at(-1)!;
  for (const sortKey of indexKeysOf(steps)) {
    let records: ChangeRecord[] | undefined;
    let byBase = false;
    for (const { record, before, after } of steps) {
      if (sameItem(fieldsOf(before, sortKey), fieldsOf(after, sortKey))) continue;
      // Most items change once in a batch: their units share the one list.
      if (records === undefined) records = steps.length === 1 ? history.records : [record];
      else records.push(record);
      if (isBefore(record, settleBeforeOf(before, sortKey) ?? settleBeforeOf(after, sortKey) ?? 0)) byBase = true;
    }
    if (records === undefined) continue;
    // A history's records are in the order of their positions.
    const { position: oldest } = records[0]!;
    const newest = records.length === 1 ? oldest : records.at(-1)!.position;
    const wanted = fieldsOf(final, sortKey);
    const unit: IndexUnit = {
      kind: 'index',
      source,
      sortKey,
      base: { source, target },
      wanted,
      records,
      oldest,
      newest,
    };
    units.push(byBase ? { ...unit, byBase } : unit);
  }
}

/**
 * Adds a unit for each joined item of an edge, unless each record of it gives the same as before. What it shall be the source
 * node decides too, so that no image says.
 */
function addJoinedUnits({ source, target }: ItemHistory, { planner, steps }: Planned, units: IndexUnit[]): void {
  if (planner.joinedKeys.length === 0) return;
  for (const [i, sortKey] of planner.joinedKeys.entries()) {
    const changing = steps.filter(({ before, after }) => !sameShare(before.shares?.[i], after.shares?.[i]));
    if (changing.length === 0) continue;
    const records = changing.map(({ record }) => record);
    units.push({ kind: 'index', source, sortKey, base: { source, target }, byBase: true, records, ...span(records) });
  }
}

/** Joined items of one node's edges as one unit: the node is read once for all of them. */
export function joinedUnit(items: readonly IndexUnit[]): JoinedUnit {
  const records = items.flatMap((item) => item.records);
  const [{ source, sortKey }] = items as [IndexUnit];
  return { kind: 'joined', source, sortKey, items, records, ...span(records) };
}

/** The sort keys of index items that any image of the steps mentions. */
function indexKeysOf(steps: readonly Step[]): readonly string[] {
  let keys: readonly string[] = NONE;
  let all: Set<string> | undefined;
  for (const { before, after } of steps) {
    // The images of an edge have the very same list.
    if (before.keys.length > 0 && before.keys !== keys) {
      if (keys.length === 0) keys = before.keys;
      else all = withTexts(all ?? new Set(keys), before.keys);
    }
    if (after.keys.length > 0 && after.keys !== keys) {
      if (keys.length === 0) keys = after.keys;
      else all = withTexts(all ?? new Set(keys), after.keys);
    }
  }
  return all === undefined ? keys : [...all];
}

function withTexts(all: Set<string>, texts: readonly string[]): Set<string> {
  for (const text of texts) all.add(text);
  return all;
}

/** Adds the unit of the edge's reverse item, which is in the target's partition, where a record changes it. */
function addReverseUnit(
  { source, target }: ItemHistory,
  steps: readonly Step[],
  settleBefore: number,
  units: Unit[],
): void {
  const changing = steps.filter(({ before, after }) => !sameItem(before.reverse?.fields, after.reverse?.fields));
  if (changing.length === 0) return;
  const { key } = (changing[0]!.before.reverse ?? changing[0]!.after.reverse)!;
  const records = changing.map(({ record }) => record);
  units.push({
    kind: 'index',
    source: key.source,
    sortKey: key.target,
    base: { source, target },
    wanted: steps.at(-1)!.after.reverse?.fields,
    ...(records.some((record) => isBefore(record, settleBefore)) && { byBase: true }),
    records,
    ...span(records),
  });
}

/** Only the state that the batch ends in can be stuck: what an earlier record got wrong, a later one mended. */
function quarantineUnit(history: ItemHistory, planned: readonly Planned[]): QuarantineUnit | undefined {
  let isStuck = false;
  for (const { steps } of planned) if (steps.at(-1)!.after.problems.length > 0) isStuck = true;
  if (!isStuck) return undefined;
  const { record } = planned[0]!.steps.at(-1)!;
  const problems = problemsOf(planned.map(({ steps }) => steps.at(-1)!.after));
  const derivedKeys = new Set<string>();
  const joinedKeys = planned.flatMap(({ planner }) => planner.joinedKeys);
  for (const step of planned.flatMap(({ steps }) => steps)) {
    for (const derived of [step.before, step.after]) {
      if (derived.element !== undefined || derived.attributes !== undefined) derivedKeys.add(VIEW_KEY);
      for (const [i, key] of derived.keys.entries()) if (derived.fields[i] !== undefined) derivedKeys.add(key);
      if (derived.shares !== undefined) for (const key of joinedKeys) derivedKeys.add(key);
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
