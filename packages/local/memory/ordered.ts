import { compareKeys } from '../../../src/core/items/encoding.ts';
import { compareValues, type Value } from './values.ts';

/** `tie` orders entries with the same sort key. */
export interface Entry<T> {
  sort: Value | undefined;
  tie: string;
  item: T;
}

export class Ordered<T> {
  readonly entries: Entry<T>[] = [];

  put(entry: Entry<T>): void {
    const at = this.placeOf(entry.sort, entry.tie);
    const found = this.entries[at];
    const isThere = found !== undefined && compareEntries(found, entry) === 0;
    this.entries.splice(at, isThere ? 1 : 0, entry);
  }

  get(sort: Value | undefined, tie: string): T | undefined {
    const found = this.entries[this.placeOf(sort, tie)];
    return found !== undefined && compareEntries(found, { sort, tie }) === 0 ? found.item : undefined;
  }

  remove(sort: Value | undefined, tie: string): void {
    const at = this.placeOf(sort, tie);
    const found = this.entries[at];
    if (found !== undefined && compareEntries(found, { sort, tie }) === 0) this.entries.splice(at, 1);
  }

  placeOf(sort: Value | undefined, tie: string): number {
    let [from, to] = [0, this.entries.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (compareEntries(this.entries[middle]!, { sort, tie }) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

type Place = Pick<Entry<unknown>, 'sort' | 'tie'>;

function compareEntries(left: Place, right: Place): number {
  if (left.sort !== undefined && right.sort !== undefined) {
    const order = compareValues(left.sort, right.sort);
    if (order !== 0) return order;
  }
  return compareKeys(left.tie, right.tie);
}
