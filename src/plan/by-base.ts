import type { ItemHistory } from '../fold/fold.ts';
import type { ChangeRecord } from '../items/change-record.ts';
import type { CompiledModel } from '../model/compiled.ts';
import { settleViewsBefore } from './parts/type-plans.ts';
import { shapeOf } from './shape.ts';
import type { IndexUnit, Unit } from './unit.ts';

/**
 * A unit that says what its records concern, and no more: what is written is decided by the base items as they are when it
 * is applied. For records that may be applied long after they were made, when the fences of newer ones can be gone.
 */
export function decidedByBase(unit: Unit): Unit {
  if (unit.kind === 'view') {
    return { ...unit, changes: unit.changes.map((change) => ({ ...change, byBase: true })) };
  }
  if (unit.kind === 'counted') return { ...unit, items: unit.items.map(indexItemByBase) };
  if (unit.kind === 'index') return indexItemByBase(unit);
  // A page of a fan-out is made of what is read then.
  return unit.kind === 'quarantine' ? { ...unit, byBase: true } : unit;
}

function indexItemByBase(unit: IndexUnit): IndexUnit {
  return { ...unit, byBase: true };
}

/**
 * Whether a record may have been made before a moment, in milliseconds since 1970. Then a later one may have come before
 * what it concerns was kept at all, and left no watermark there to tell.
 */
export function isBefore({ createdAtSeconds }: ChangeRecord, momentMs: number): boolean {
  if (momentMs === 0) return false;
  return createdAtSeconds === undefined || createdAtSeconds * 1000 < momentMs;
}

/** The moment before which records are settled in the view, as in `ViewShape`; 0 where the table has no registry, or where none of the records is so old. */
export function settleBeforeOfView(graph: CompiledModel, source: string, histories: readonly ItemHistory[]): number {
  const latest = settleViewsBefore(graph);
  if (latest === 0 || !histories.some(({ records }) => records.some((record) => isBefore(record, latest)))) return 0;
  return shapeOf(graph, source)?.settleBefore ?? 0;
}
