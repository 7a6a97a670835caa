import { sameItem } from '../items/attribute-value.ts';
import type { ChangeRecord } from '../items/change-record.ts';
import { type DerivedSortKey, textOfKey } from '../items/keys.ts';
import { fieldsOf, type InTarget, reconcileBefore } from '../kinds/derived.ts';
import { sameShare } from '../kinds/parts/joined-items.ts';
import type { CounterPlaces } from '../model/projection/places.ts';
import { isDecidedByBase } from './by-base.ts';
import type { DerivedStep } from './derive.ts';
import type { ItemHistory } from './fold.ts';
import { type EdgePlan, joinedKeys, type TypePlan } from './type-plans.ts';
import { type IndexUnit, positionSpan, type Unit } from './unit.ts';

/** Units of index items, and of edges' items in the partitions of their targets. */

const NONE: readonly never[] = [];

/** The units of the items of one count. */
export interface CountedItems {
  countName: string;
  items: IndexUnit[];
}

/** The lists that units of index items are added to: separate ones, those of the same count, or those of joined items. */
export interface IndexedUnits {
  units: Unit[];
  /** By the key of the count; undefined if there is none. */
  counted: Map<string, CountedItems> | undefined;
  joined: IndexUnit[] | undefined;
}

/**
 * Adds the units of the index items that a history changes, and of an edge's items in its target's partition.
 *
 * @param viewBefore records that were made before this moment are reconciled in views, and in what belongs to a view.
 */
export function addUnitsOfIndexItems(
  history: ItemHistory,
  plan: TypePlan,
  steps: readonly DerivedStep[],
  viewBefore: number,
  indexed: IndexedUnits,
): void {
  const count = plan.kind === 'edge' ? plan.edge.count : undefined;
  addIndexUnits(
    history,
    steps,
    count === undefined ? indexed.units : countedUnits(count.places, history.source, indexed),
  );
  if (plan.kind !== 'edge') return;
  if (plan.inTargets.length > 0) addUnitsInTarget(history, plan, steps, viewBefore, indexed);
  if (plan.joinedItems.length === 0) return;
  indexed.joined ??= [];
  addJoinedUnits(history, joinedKeys(plan, history.target), steps, indexed.joined);
}

function countedUnits({ name, key }: CounterPlaces, source: string, indexed: IndexedUnits): IndexUnit[] {
  indexed.counted ??= new Map();
  const place = textOfKey({ source, target: key });
  let units = indexed.counted.get(place);
  if (units === undefined) {
    units = { countName: name, items: [] };
    indexed.counted.set(place, units);
  }
  return units.items;
}

/** Adds a unit for each item of the edge in its target's partition that a record changes. */
function addUnitsInTarget(
  { source, target }: ItemHistory,
  { edge, inTargets }: EdgePlan,
  steps: readonly DerivedStep[],
  viewBefore: number,
  indexed: IndexedUnits,
): void {
  for (const [i, { totalOf }] of inTargets.entries()) {
    const itemOf = ({ inTarget }: DerivedStep['before']): InTarget | undefined => inTarget?.[i];
    const changing = steps.filter(({ before, after }) => !sameItem(itemOf(before)?.fields, itemOf(after)?.fields));
    // rule: no-net-zero-in-targets
    if (changing.length === 0) continue;
    const { key } = (itemOf(changing[0]!.before) ?? itemOf(changing[0]!.after))!;
    const total = totalOf?.(edge);
    const settleBefore = total === undefined ? viewBefore : (total.settleBefore ?? 0);
    const records = changing.map(({ record }) => record);
    (total === undefined ? indexed.units : countedUnits(total.places, key.source, indexed)).push({
      kind: 'index',
      source: key.source,
      sortKey: key.target,
      base: { source, target },
      expected: itemOf(steps.at(-1)!.after)?.fields,
      // rule: older-record-reconciles-the-item-in-the-target
      ...(records.some((record) => isDecidedByBase(record, settleBefore)) && { byBase: true }),
      records,
      ...positionSpan(records),
    });
  }
}

/** Adds a unit for each index item that a record of the history changes. */
function addIndexUnits(history: ItemHistory, steps: readonly DerivedStep[], units: Unit[] | IndexUnit[]): void {
  const { source, target } = history;
  const { after: final } = steps.at(-1)!;
  for (const sortKey of indexKeysOf(steps)) {
    let records: ChangeRecord[] | undefined;
    let byBase = false;
    for (const { record, before, after } of steps) {
      if (sameItem(fieldsOf(before, sortKey), fieldsOf(after, sortKey))) continue;
      // Most items change once in a batch: their units share one list of records.
      if (records === undefined) records = steps.length === 1 ? history.records : [record];
      else records.push(record);
      if (isDecidedByBase(record, reconcileBefore(before, sortKey) ?? reconcileBefore(after, sortKey) ?? 0))
        byBase = true;
    }
    // rule: no-net-zero-in-index-items
    if (records === undefined) continue;
    // A history's records are ordered by position.
    const { position: oldest } = records[0]!;
    const newest = records.length === 1 ? oldest : records.at(-1)!.position;
    const expected = fieldsOf(final, sortKey);
    const unit: IndexUnit = {
      kind: 'index',
      source,
      sortKey,
      base: { source, target },
      expected,
      records,
      oldest,
      newest,
    };
    units.push(byBase ? { ...unit, byBase } : unit);
  }
}

/**
 * Adds a unit for each joined item of an edge, unless every record leaves the edge's share unchanged. The unit carries no fields,
 * because the source node decides about them too.
 */
function addJoinedUnits(
  { source, target }: ItemHistory,
  keys: readonly DerivedSortKey[],
  steps: readonly DerivedStep[],
  units: IndexUnit[],
): void {
  for (const [i, sortKey] of keys.entries()) {
    // rule: no-net-zero-in-joined-items
    const changing = steps.filter(({ before, after }) => !sameShare(before.shares?.[i], after.shares?.[i]));
    if (changing.length === 0) continue;
    const records = changing.map(({ record }) => record);
    units.push({
      kind: 'index',
      source,
      sortKey,
      base: { source, target },
      byBase: true,
      records,
      ...positionSpan(records),
    });
  }
}

/** The sort keys of all index items in any image of the steps. */
function indexKeysOf(steps: readonly DerivedStep[]): readonly DerivedSortKey[] {
  let keys: readonly DerivedSortKey[] = NONE;
  let all: Set<DerivedSortKey> | undefined;
  for (const { before, after } of steps) {
    // All images of an edge share one list of keys.
    if (before.keys.length > 0 && before.keys !== keys) {
      if (keys.length === 0) keys = before.keys;
      else all = addTexts(all ?? new Set(keys), before.keys);
    }
    if (after.keys.length > 0 && after.keys !== keys) {
      if (keys.length === 0) keys = after.keys;
      else all = addTexts(all ?? new Set(keys), after.keys);
    }
  }
  return all === undefined ? keys : [...all];
}

/** Adds texts to a set. */
export function addTexts<Text extends string>(all: Set<Text>, texts: readonly Text[]): Set<Text> {
  for (const text of texts) all.add(text);
  return all;
}
