export type IndexChange =
  | 'comes'
  | 'goes'
  /** The item's key in the index changes. */
  | 'moves'
  /** The key stays the same, but projected attributes change. */
  | 'changes'
  | 'stays';

/** Returns write units. Edgeloom's indexes don't project the revision, so changing only the revision costs nothing. */
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
