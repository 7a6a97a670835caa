import { isDeepStrictEqual } from 'node:util';
import type { StepEvent } from './watch-types.ts';

export interface WatchedRow<Item> {
  id: string;
  /** The row's sort key in the list; empty for watched nodes. */
  place: string;
  item: Item;
}

export function stepsBetween<Item>(
  before: readonly WatchedRow<Item>[],
  after: readonly WatchedRow<Item>[],
): StepEvent<Item>[] {
  const steps: StepEvent<Item>[] = [];
  const rows = stayingRows(before, after);
  const staying = new Set(rows);
  // Go backwards, so that earlier indexes stay valid.
  for (let at = before.length - 1; at >= 0; at--) {
    const row = before[at]!;
    if (!staying.has(row)) steps.push({ type: 'leave', item: row.item, at });
  }
  for (const [at, { id, item }] of after.entries()) {
    const row = rows[at];
    if (row?.id !== id) {
      rows.splice(at, 0, after[at]!);
      steps.push({ type: 'enter', item, at });
    } else if (!isDeepStrictEqual(row.item, item)) steps.push({ type: 'change', item, at });
  }
  return steps;
}

/** Rows of a native index may have the same place and still swap. A swapped row counts as moved. */
function stayingRows<Item>(
  before: readonly WatchedRow<Item>[],
  after: readonly WatchedRow<Item>[],
): WatchedRow<Item>[] {
  const indexes = new Map(after.map(({ id }, at) => [id, at]));
  let last = -1;
  return before.filter(({ id, place }) => {
    const at = indexes.get(id);
    if (at === undefined || at < last || after[at]!.place !== place) return false;
    last = at;
    return true;
  });
}
