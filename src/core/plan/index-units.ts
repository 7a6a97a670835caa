import { sameItem } from '../items/attribute-value.ts';
import type { ChangeRecord } from '../items/change-record.ts';
import type { DerivedSortKey } from '../items/keys.ts';
import { fieldsOf, reconcileBefore } from '../kinds/derived.ts';
import { isDecidedByBase } from './by-base.ts';
import type { DerivedStep } from './derive.ts';
import type { ItemHistory } from './fold.ts';
import { addJoinedUnits, addUnitsInTarget, countedUnits, type IndexedUnits } from './joint-units.ts';
import { joinedKeys, type TypePlan } from './type-plans.ts';
import type { IndexUnit, Unit } from './unit.ts';

/** Units of index items. */

const NONE: readonly never[] = [];

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
