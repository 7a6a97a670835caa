import type { ChangeRecord } from '../items/change-record.ts';
import type { DerivedImage } from './derived.ts';
import type { ItemHistory } from './fold.ts';
import type { ItemPlanner } from './item-planner.ts';

/** One record, and the items derived from its two images. */
export interface DerivedStep {
  record: ChangeRecord;
  before: DerivedImage;
  after: DerivedImage;
}

/** Derives from each record of a history, in the model of a planner, which selects the item. */
export function derivedSteps(planner: ItemPlanner, { source, target, records }: ItemHistory): readonly DerivedStep[] {
  planner.selectBaseItem(source, target);
  // Most items change once in a batch.
  return records.length === 1
    ? [derivedStep(planner, records[0]!)]
    : records.map((record) => derivedStep(planner, record));
}

function derivedStep(planner: ItemPlanner, record: ChangeRecord): DerivedStep {
  const after = planner.derive(record.newImage);
  return {
    record,
    // rule: old-image-counts-as-far-as-it-can-be-derived
    before: planner.derive(record.oldImage),
    after: record.contradiction === undefined ? after : planner.withContradiction(after, record.contradiction),
  };
}

/** Adds texts to a set. */
export function addTexts<Text extends string>(all: Set<Text>, texts: readonly Text[]): Set<Text> {
  for (const text of texts) all.add(text);
  return all;
}
