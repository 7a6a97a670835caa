import { sameItem } from '../items/attribute-value.ts';
import { type DerivedSortKey, textOfKey } from '../items/keys.ts';
import type { InTarget } from '../kinds/derived.ts';
import { sameShare } from '../kinds/parts/joined-items.ts';
import { type CounterPlaces, countKeyOf } from '../model/projection/places.ts';
import { isDecidedByBase } from './by-base.ts';
import type { DerivedStep } from './derive.ts';
import type { ItemHistory } from './fold.ts';
import type { EdgePlan } from './type-plans.ts';
import { type CountedUnit, type IndexUnit, type JoinedUnit, positionSpan, type Unit } from './unit.ts';

/** Units of several items: those of one count, the joined items of one node, and edges' items in the partitions of their targets. */

/** Makes one unit of counted items of one type and node. A transaction takes up to a hundred of them. */
export function countedUnit(countName: string, items: readonly IndexUnit[]): CountedUnit {
  const records = items.flatMap((item) => item.records);
  return {
    kind: 'counted',
    source: items[0]!.source,
    sortKey: countKeyOf(countName),
    countName,
    items,
    records,
    ...positionSpan(records),
  };
}

/** Joins the units of one count: edges of several sources enter one node, and their units would only conflict. */
export function withUnitPerCount(units: readonly Unit[]): Unit[] {
  const joined = new Map<string, CountedUnit[]>();
  for (const unit of units) {
    if (unit.kind !== 'counted') continue;
    const place = textOfKey({ source: unit.source, target: unit.sortKey });
    joined.set(place, [...(joined.get(place) ?? []), unit]);
  }
  if ([...joined.values()].every((same) => same.length === 1)) return [...units];
  const counted = [...joined.values()].map(([first, ...others]) =>
    others.length === 0
      ? first!
      : countedUnit(
          first!.countName,
          [first!, ...others].flatMap(({ items }) => items),
        ),
  );
  return [...units.filter(({ kind }) => kind !== 'counted'), ...counted];
}

/** Makes one unit of joined items of one node's edges: the node is read once for all of them. */
export function joinedUnit(items: readonly IndexUnit[]): JoinedUnit {
  const records = items.flatMap((item) => item.records);
  const [{ source, sortKey }] = items as [IndexUnit];
  return { kind: 'joined', source, sortKey, items, records, ...positionSpan(records) };
}

/** Splits a unit of several items into a unit for each. */
export function splitUnit(unit: CountedUnit | JoinedUnit): Unit[] {
  return unit.items.map((item) => (unit.kind === 'counted' ? countedUnit(unit.countName, [item]) : joinedUnit([item])));
}

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

/** The list of the units of one count's items; a new one where there is none yet. */
export function countedUnits({ name, key }: CounterPlaces, source: string, indexed: IndexedUnits): IndexUnit[] {
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
export function addUnitsInTarget(
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

/**
 * Adds a unit for each joined item of an edge, unless every record leaves the edge's share unchanged. The unit carries no fields,
 * because the source node decides about them too.
 */
export function addJoinedUnits(
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
