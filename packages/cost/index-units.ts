/** Write units of a change in one index of the written item, which depend on what the index projects. */

export type IndexChange =
  | 'comes'
  | 'goes'
  /** The item's key in the index changes. */
  | 'moves'
  /** The key stays, but attributes that the index projects for readers change. */
  | 'changes'
  | 'stays';

/** Edgeloom's indexes project what readers need, but no revision, so a new revision alone costs nothing. */
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
