import { sameItem } from '../items/attribute-value.ts';
import type { ChangeRecord } from '../items/change-record.ts';
import type { DerivedImage } from '../kinds/derived.ts';
import { isDecidedByBase } from './by-base.ts';
import type { DerivedStep } from './derive.ts';
import type { ItemHistory } from './fold.ts';
import { addTexts } from './index-units.ts';
import type { ViewChange } from './unit.ts';

/** The changes of a batch to a view. */

const NONE: readonly never[] = [];

/** The changes of a partition to its view, and their records; undefined: none yet. */
export interface ViewChanges {
  changes: ViewChange[] | undefined;
  records: ChangeRecord[] | undefined;
}

/** The change of a base item's part in the view, whose records it adds; undefined if no record changes it. */
export function viewChange(
  history: ItemHistory,
  edgeType: string | undefined,
  steps: readonly DerivedStep[],
  view: ViewChanges,
  settleBefore: number,
): ViewChange | undefined {
  let oldest: string | undefined;
  let byBase = false;
  let mentioned: readonly string[] = NONE;
  let all: Set<string> | undefined;
  for (const { record, before, after } of steps) {
    if (sameInView(before, after)) continue;
    if (oldest === undefined) mentioned = elementsOf(before, after);
    else all = addTexts(all ?? new Set(mentioned), elementsOf(before, after));
    oldest ??= record.position;
    view.records = withAdded(view.records, record);
    if (isDecidedByBase(record, settleBefore)) byBase = true;
  }
  // rule: no-net-zero-in-views
  if (oldest === undefined) return undefined;
  // rule: no-netted-chains
  const { element, attributes } = steps.at(-1)!.after;
  const change: ViewChange = {
    target: history.target,
    oldest,
    edgeType,
    mentioned: all === undefined ? mentioned : [...all],
    element,
    attributes,
  };
  // rule: node-attributes-go-in-whole
  return byBase ? { ...change, byBase } : change;
}

/** A list with one more value. The literal has room for just one, which is all that most partitions have. */
export function withAdded<T>(list: T[] | undefined, value: T): T[] {
  if (list === undefined) return [value];
  list.push(value);
  return list;
}

/** The elements of two images. An array literal has room for exactly its elements; an array that grows gets room for seventeen. */
function elementsOf({ element: before }: DerivedImage, { element: after }: DerivedImage): readonly string[] {
  if (before === undefined) return after === undefined ? NONE : [after];
  return after === undefined ? [before] : [before, after];
}

function sameInView(before: DerivedImage, after: DerivedImage): boolean {
  return before.element === after.element && sameItem(before.attributes, after.attributes);
}
