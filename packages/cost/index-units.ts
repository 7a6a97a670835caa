/**
 * The capacity of one write for one index that the written item is in. Everything about what an index projects is here: the rest of
 * the costs only say what the write does to the item's place and content.
 */

/** The change that a write of an item makes in one of its indexes. */
export type IndexChange =
  /** The item enters the index, or leaves it. */
  | 'comes'
  | 'goes'
  /** Its key in the index changes. */
  | 'moves'
  /** Its key stays, and the attributes that it holds for readers change. */
  | 'changes'
  /** Key and attributes stay: only the revision changes. */
  | 'stays';

/** The write units of an index of a derived item: the indexes include what readers need, and no revision. */
export function unitsOfIndex(change: IndexChange): number {
  if (change === 'stays') return 0;
  // DynamoDB deletes the old entry and puts the new one.
  return change === 'moves' ? 2 : 1;
}

/** The write units of an item of up to 1 KB: once in the table, and in each of its indexes. */
export function unitsOfItem(changes: readonly IndexChange[]): number {
  return changes.reduce((sum, change) => sum + unitsOfIndex(change), 1);
}

/** The same of an item that a hand-made layout keeps with its index keys, in indexes of ALL. */
export function unitsByHand(changes: readonly IndexChange[]): number {
  return changes.reduce((sum, change) => sum + (change === 'moves' ? 2 : 1), 1);
}
