import type { ChangeRecord } from '../items/change-record.ts';
import type { DerivedImage } from '../kinds/derived.ts';
import { derive, withContradiction } from './derive.ts';
import type { ItemHistory } from './fold.ts';
import { type PlannedKey, plannedKey, type TypePlan } from './type-plans.ts';

/** One record, and the items derived from its two images. */
export interface DerivedStep {
  record: ChangeRecord;
  before: DerivedImage;
  after: DerivedImage;
}

/** Derives from each record of a history. */
export function derivedSteps(plan: TypePlan, { source, target, records }: ItemHistory): readonly DerivedStep[] {
  const key = plannedKey(plan, source, target);
  // Most items change once in a batch.
  return records.length === 1
    ? [derivedStep(plan, key, records[0]!)]
    : records.map((record) => derivedStep(plan, key, record));
}

function derivedStep(plan: TypePlan, key: PlannedKey, record: ChangeRecord): DerivedStep {
  const after = derive(plan, key, record.newImage);
  return {
    record,
    // rule: old-image-counts-as-far-as-it-can-be-derived
    before: derive(plan, key, record.oldImage),
    after: record.contradiction === undefined ? after : withContradiction(plan, after, record.contradiction),
  };
}

/** Adds texts to a set. */
export function addTexts<Text extends string>(all: Set<Text>, texts: readonly Text[]): Set<Text> {
  for (const text of texts) all.add(text);
  return all;
}
