import { type Item, numberOf, stringOf } from '../items/attribute-value.ts';
import type { ChangeRecord } from '../items/change-record.ts';
import { FENCE, WATERMARK } from '../items/derived-item.ts';
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

/** The greatest difference between DynamoDB's clocks and that of a repair, in milliseconds. */
const FENCE_MARGIN_MS = 5 * 60_000;

/** Tells whether a record at `position` may be part of the derived item already, or be older than it. */
export function isStale(position: string, current: Item | undefined): boolean {
  const value = current?.[WATERMARK];
  if (value === undefined) return false;
  const watermark = stringOf(value);
  // A watermark that is no text says nothing about applied records, so the base item has to decide.
  return watermark === undefined || position <= watermark;
}

/**
 * Returns the time, in milliseconds since 1970, before which a fence must be for these records to pass it. A repair sets an item's
 * fence after it has read the base items. A record made before the fence, or possibly before it by the clocks, contains nothing
 * new. Another record, later than it, may have been applied to an item that was lost together with its watermark.
 */
export function fenceLimitMs(records: readonly ChangeRecord[]): number {
  let oldest = records[0]?.createdAtSeconds ?? 0;
  for (const { createdAtSeconds = 0 } of records) if (createdAtSeconds < oldest) oldest = createdAtSeconds;
  // rule: fence-has-a-margin
  return oldest * 1000 - FENCE_MARGIN_MS;
}

/** Tells whether some of the records do not pass the derived item's fence: then its base items decide. */
export function isFenced(records: readonly ChangeRecord[], current: Item | undefined): boolean {
  const value = current?.[FENCE];
  // rule: fence-of-an-item-that-was-seen-counts
  if (value === undefined) return false;
  const fence = numberOf(value);
  return fence === undefined || Number(fence) >= fenceLimitMs(records);
}
