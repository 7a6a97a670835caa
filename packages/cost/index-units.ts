/** What a write costs in one index of the written item: all that depends on what an index projects. */

export type IndexChange =
  | 'comes'
  | 'goes'
  /** Its key in the index changes. */
  | 'moves'
  /** Its key stays, the attributes for readers change. */
  | 'changes'
  | 'stays';

/** Our indexes include what readers need, and no revision. */
export function unitsOfIndex(change: IndexChange): number {
  if (change === 'stays') return 0;
  // DynamoDB deletes the old entry and puts a new one.
  return change === 'moves' ? 2 : 1;
}

export function unitsOfItem(changes: readonly IndexChange[]): number {
  return changes.reduce((sum, change) => sum + unitsOfIndex(change), 1);
}

export function unitsByHand(changes: readonly IndexChange[]): number {
  return changes.reduce((sum, change) => sum + (change === 'moves' ? 2 : 1), 1);
}
