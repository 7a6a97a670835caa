import type { ChangeRecord } from '../items/change-record.ts';
import { shapeOf } from '../kinds/view.ts';
import type { CompiledModel } from '../model/compiled.ts';
import type { ItemHistory } from './fold.ts';
import { reconcileViewsBefore } from './type-plans.ts';
import type { IndexUnit, Unit } from './unit.ts';

/**
 * Makes a unit that says only which items its records are about: the base items decide, as they are when it is applied. It is for
 * records that may be applied long after they were made, when the fences and watermarks of newer records may be gone.
 */
export function reconcilingUnit(unit: Unit): Unit {
  if (unit.kind === 'view') {
    return { ...unit, changes: unit.changes.map((change) => ({ ...change, byBase: true })) };
  }
  if (unit.kind === 'counted') return { ...unit, items: unit.items.map(indexUnitByBaseItem) };
  if (unit.kind === 'index') return indexUnitByBaseItem(unit);
  // A fan-out is left as it is: each of its pages uses the items that it reads when it is applied.
  return unit.kind === 'quarantine' ? { ...unit, byBase: true } : unit;
}

function indexUnitByBaseItem(unit: IndexUnit): IndexUnit {
  return { ...unit, byBase: true };
}

/** A history with a record that contradicts itself says nothing but which item it is of: then all of its records contradict themselves. */
export function withSharedContradiction(history: ItemHistory): ItemHistory {
  const contradiction = history.records.find((record) => record.contradiction !== undefined)?.contradiction;
  if (contradiction === undefined) return history;
  return { ...history, records: history.records.map((record) => ({ ...record, contradiction })) };
}

/**
 * Tells whether the base item decides instead of a record: its images contradict each other, or it is from before a time. A later record may
 * then have been applied before its derived item was maintained at all, without a watermark that shows it.
 */
export function isDecidedByBase(record: ChangeRecord, beforeMs: number): boolean {
  return record.contradiction !== undefined || isBefore(record, beforeMs);
}

/** Tells whether a record may have been made before a time, in milliseconds since 1970; 0 is before every record. */
export function isBefore({ createdAtSeconds }: ChangeRecord, momentMs: number): boolean {
  if (momentMs === 0) return false;
  return createdAtSeconds === undefined || createdAtSeconds * 1000 < momentMs;
}

/**
 * The time before which records are reconciled in the view, as in `ViewShape`; 0 if the table has no registry, or if no record is
 * that old.
 */
export function reconcileViewBefore(graph: CompiledModel, source: string, histories: readonly ItemHistory[]): number {
  const latest = reconcileViewsBefore(graph);
  if (latest === 0 || !histories.some(({ records }) => records.some((record) => isBefore(record, latest)))) return 0;
  return shapeOf(graph, source)?.settleBefore ?? 0;
}
