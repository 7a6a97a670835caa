import { compareKeys } from '../../../src/core/items/encoding.ts';
import type { StoredItem } from './item.ts';

/** A partition of the table or of an index: items under texts that are unique in it, given out in key order. */
export class MemoryPartition {
  private readonly entries = new Map<string, PartitionEntry>();
  /** The order, until an entry comes or goes. */
  private sorted: PartitionEntry[] | undefined;

  get size(): number {
    return this.entries.size;
  }

  get(id: string): StoredItem | undefined {
    return this.entries.get(id)?.stored;
  }

  /** Puts an item under its place; an item that is there already keeps it. */
  set(id: string, sortKey: string, stored: StoredItem): void {
    const present = this.entries.get(id);
    if (present !== undefined && present.sortKey === sortKey) {
      present.stored = stored;
      return;
    }
    this.entries.set(id, { sortKey, stored });
    this.sorted = undefined;
  }

  delete(id: string): void {
    if (this.entries.delete(id)) this.sorted = undefined;
  }

  /** All entries by sort key; in an index, where sort keys may tie, then by the table's key. */
  inOrder(): readonly PartitionEntry[] {
    this.sorted ??= [...this.entries.values()].sort(comparePlaces);
    return this.sorted;
  }
}

/** An item in its place. */
export interface PartitionEntry {
  readonly sortKey: string;
  stored: StoredItem;
}

/** A place in a partition: what a page's last key says. */
export interface Place {
  sortKey: string;
  stored: Pick<StoredItem, 'source' | 'target'>;
}

/** The order of places. */
export function comparePlaces(left: Place, right: Place): number {
  return (
    compareKeys(left.sortKey, right.sortKey) ||
    compareKeys(left.stored.source, right.stored.source) ||
    compareKeys(left.stored.target, right.stored.target)
  );
}
