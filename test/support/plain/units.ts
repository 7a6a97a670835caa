import { sameItem } from '../../../src/core/items/attribute-value.ts';
import type { ChangeRecord } from '../../../src/core/items/change-record.ts';
import { parseNodeId, requireDerivedSortKey, typePrefix, VIEW_KEY } from '../../../src/core/items/keys.ts';
import { type CompiledModel, layersOf } from '../../../src/core/model/compiled.ts';
import { countKeyOf } from '../../../src/core/model/projection/places.ts';
import { continuationUnit, fanOutUnits } from '../../../src/core/plan/fan-out.ts';
import type { ItemHistory } from '../../../src/core/plan/fold.ts';
import type { CountedUnit, IndexUnit, QuarantineUnit, Unit, ViewChange } from '../../../src/core/plan/unit.ts';
import { type PlainDerived, plainDerivedOf } from './derive.ts';
import { contributions } from './joined.ts';

/**
 * Units as the plain planner has them: what one batch changes in one derived item; each is applied atomically, and units of a batch are independent.
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
  const joined: IndexUnit[] = [];
  const layers = layersOf(graph);
  const viewBefore = settleBeforeOfView(graph, source);
  for (const history of histories) {
    const continuation = continuationUnit(graph, history);
    if (continuation !== undefined) units.push(continuation);
    const stepsByLayer = layers.map((layer) => stepsOf({ ...layer, further: undefined }, history));
    const steps = stepsByLayer[0]!;
    const change = viewChange(history, steps, viewRecords, viewBefore);
    if (change !== undefined) viewChanges.push(change);
    for (const [i, layer] of layers.entries()) {
      const name = countedName(layer, history);
      const items = indexUnits(history, stepsByLayer[i]!);
      if (name === undefined) units.push(...items);
      else counted.set(name, [...(counted.get(name) ?? []), ...items]);
    }
    for (const layer of layers) joined.push(...joinedUnits(layer, history));
    units.push(...reverseUnits(history, steps, viewBefore), ...fanOutUnits(graph, history));
    const quarantine = quarantineUnit(graph, history, stepsByLayer);
    if (quarantine !== undefined) units.push(quarantine);
  }
  if (joined.length > 0) {
    const records = joined.flatMap((item) => item.records);
    units.push({ kind: 'joined', source, sortKey: joined[0]!.sortKey, items: joined, records, ...span(records) });
  }
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
  before: PlainDerived;
  after: PlainDerived;
}

function stepsOf(graph: CompiledModel, { source, target, records }: ItemHistory): Step[] {
  return records.map((record) => ({
    record,
    before: plainDerivedOf(graph, source, target, record.oldImage),
    after: plainDerivedOf(graph, source, target, record.newImage),
  }));
}

/** As in `ViewShape`; 0 where the table has no registry. */
function settleBeforeOfView({ shapes }: CompiledModel, source: string): number {
  return shapes?.get(parseNodeId(source)?.type ?? '')?.settleBefore ?? 0;
}

/**
 * Whether a record may have been made before a moment, in milliseconds since 1970. Then a later one may have come before
 * what it concerns was kept at all, and left no watermark there to tell.
 */
function isBefore({ createdAtSeconds }: ChangeRecord, momentMs: number): boolean {
  if (momentMs === 0) return false;
  return createdAtSeconds === undefined || createdAtSeconds * 1000 < momentMs;
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

function viewChange(
  history: ItemHistory,
  steps: readonly Step[],
  viewRecords: ChangeRecord[],
  settleBefore: number,
): ViewChange | undefined {
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
    mentioned: [...mentioned],
    element: final.element,
    attributes: final.attributes,
    ...(changing.some(({ record }) => isBefore(record, settleBefore)) && { byBase: true }),
  };
}

function sameInView(before: PlainDerived, after: PlainDerived): boolean {
  return before.element === after.element && sameItem(before.attributes, after.attributes);
}

/** The name of the count that a base item is in, of those that the model keeps. */
function countedName(graph: CompiledModel, { source, target }: ItemHistory): string | undefined {
  const edge = source === target ? undefined : graph.edges.get(typePrefix(target) ?? '');
  return edge?.count?.places.name;
}

/** Counted items of one type and node as one unit; a transaction takes up to a hundred of them. */
export function countedUnit(countName: string, items: readonly IndexUnit[]): CountedUnit {
  const records = items.flatMap((item) => item.records);
  return {
    kind: 'counted',
    source: items[0]!.source,
    sortKey: countKeyOf(countName),
    countName,
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
      sortKey: requireDerivedSortKey(sortKey),
      base: { source: history.source, target: history.target },
      expected: wanted,
      records,
      ...span(records),
    });
  }
  return units;
}

/** A unit for each joined item of an edge of which a record changes what the edge gives. */
function joinedUnits(graph: CompiledModel, { source, target, records: all }: ItemHistory): IndexUnit[] {
  const given = all.map((record) => {
    const { oldImage, newImage } = record;
    return {
      record,
      old: contributions(graph, { source, target }, oldImage),
      now: contributions(graph, { source, target }, newImage),
    };
  });
  const sortKeys = new Set(given.flatMap(({ old, now }) => [...old.keys(), ...now.keys()]));
  return [...sortKeys].flatMap((sortKey): IndexUnit[] => {
    const changing = given.filter(({ old, now }) => old.get(sortKey) !== now.get(sortKey));
    const records = changing.map(({ record }) => record);
    if (records.length === 0) return [];
    return [
      {
        kind: 'index',
        source,
        sortKey: requireDerivedSortKey(sortKey),
        base: { source, target },
        byBase: true,
        records,
        ...span(records),
      },
    ];
  });
}

/** The unit of an edge's reverse item: whatever becomes of the edge, it is the same item. */
function reverseUnits({ source, target }: ItemHistory, steps: readonly Step[], settleBefore: number): IndexUnit[] {
  const changing = steps.filter(
    ({ before, after }) => !sameItem(before.inTarget[0]?.fields, after.inTarget[0]?.fields),
  );
  if (changing.length === 0) return [];
  const { key } = (changing[0]!.before.inTarget[0] ?? changing[0]!.after.inTarget[0])!;
  const records = changing.map(({ record }) => record);
  return [
    {
      kind: 'index',
      source: key.source,
      sortKey: requireDerivedSortKey(key.target),
      base: { source, target },
      expected: steps.at(-1)!.after.inTarget[0]?.fields,
      ...(records.some((record) => isBefore(record, settleBefore)) && { byBase: true }),
      records,
      ...span(records),
    },
  ];
}

/** Only the state that the batch ends in can be stuck: what an earlier record got wrong, a later one mended. */
function quarantineUnit(
  graph: CompiledModel,
  history: ItemHistory,
  stepsByLayer: readonly Step[][],
): QuarantineUnit | undefined {
  const { record } = stepsByLayer[0]!.at(-1)!;
  const { problems } = plainDerivedOf(graph, record.source, record.target, record.newImage);
  if (problems.length === 0) return undefined;
  const derivedKeys = new Set<string>();
  for (const step of stepsByLayer.flat()) {
    for (const derived of [step.before, step.after]) {
      if (derived.element !== undefined || derived.attributes !== undefined) derivedKeys.add(VIEW_KEY);
      for (const key of derived.indexItems.keys()) derivedKeys.add(key);
    }
  }
  for (const layer of layersOf(graph)) {
    for (const { source, target, oldImage, newImage } of history.records) {
      for (const image of [oldImage, newImage]) {
        for (const sortKey of contributions(layer, { source, target }, image).keys()) derivedKeys.add(sortKey);
      }
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
