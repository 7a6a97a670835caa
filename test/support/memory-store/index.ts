import { type AttributeValue, itemSizeBytes, sameItem, stringOf } from '../../../src/core/items/attribute-value.ts';
import { writeUnits } from '../../../src/core/items/capacity.ts';
import { INDEX_KEYS, shownInIndex } from '../../../src/core/items/derived-item.ts';
import { PARTITION_KEY_BYTES, SORT_KEY_BYTES } from '../../../src/core/items/keys.ts';
import type { IndexName, TableNames } from '../../../src/core/model/compiled.ts';
import { refused, type StoredItem } from './item.ts';
import { MemoryPartition } from './partition.ts';

/** A global secondary index of what readers need, as a table has it. An item is in it when it has both of the index's keys. */
export class MemoryIndex {
  private readonly partitions = new Map<string, MemoryPartition>();
  private readonly keys: { partition: string; sort: string };

  constructor(
    private readonly name: IndexName,
    private readonly table: TableNames,
    /** Whether it holds all attributes, as an older index does. */
    private readonly isOfAll = false,
  ) {
    this.keys = INDEX_KEYS[name];
  }

  /** The item as the index holds it: its keys, and the attributes that the index includes. */
  asIndexed(stored: StoredItem): StoredItem {
    if (this.isOfAll) return stored;
    const { source, target, item } = stored;
    const { partitionKey, sortKey } = this.table;
    const keys = { [partitionKey]: item[partitionKey]!, [sortKey]: item[sortKey]! };
    const shown = { ...shownInIndex(this.name, item), ...keys };
    return { source, target, item: shown, sizeBytes: itemSizeBytes(shown) };
  }

  /** The index's key of an item; undefined where the item is not in it. Throws where a key attribute has no valid value. */
  keyOf(stored: StoredItem | undefined): IndexKey | undefined {
    if (stored === undefined) return undefined;
    const partition = this.keyText(stored.item[this.keys.partition], this.keys.partition, PARTITION_KEY_BYTES);
    const sort = this.keyText(stored.item[this.keys.sort], this.keys.sort, SORT_KEY_BYTES);
    return partition === undefined || sort === undefined ? undefined : { partition, sort };
  }

  private keyText(value: AttributeValue | undefined, attribute: string, limitBytes: number): string | undefined {
    if (value === undefined) return undefined;
    const text = stringOf(value);
    if (text === undefined) throw refused(`${attribute}, a key of index ${this.name}, should be a string`);
    if (text === '') throw refused(`${attribute}, a key of index ${this.name}, is empty`);
    // A UTF-16 unit takes three bytes of UTF-8 at most.
    if (text.length * 3 > limitBytes && Buffer.byteLength(text) > limitBytes) {
      throw refused(`${attribute}, a key of index ${this.name}, has more than ${limitBytes} bytes`);
    }
    return text;
  }

  /**
   * Takes over a write of the table; gives its write units: none where the index item does not change, and both a
   * delete and a put where its key does.
   */
  write(before: StoredItem | undefined, after: StoredItem | undefined): number {
    const from = this.keyOf(before);
    const to = this.keyOf(after);
    if (from === undefined && to === undefined) return 0;
    const stays = from !== undefined && to !== undefined && from.partition === to.partition && from.sort === to.sort;
    const [old, next] = [from && this.asIndexed(before!), to && this.asIndexed(after!)];
    if (from !== undefined && !stays) this.remove(from, before!);
    if (to !== undefined) this.add(to, next!);
    if (stays) return sameItem(old!.item, next!.item) ? 0 : writeUnits(Math.max(old!.sizeBytes, next!.sizeBytes));
    return (old === undefined ? 0 : writeUnits(old.sizeBytes)) + (next === undefined ? 0 : writeUnits(next.sizeBytes));
  }

  /** A partition; undefined where it is empty. */
  partition(partition: string): MemoryPartition | undefined {
    return this.partitions.get(partition);
  }

  private add({ partition, sort }: IndexKey, stored: StoredItem): void {
    let entries = this.partitions.get(partition);
    if (entries === undefined) {
      entries = new MemoryPartition();
      this.partitions.set(partition, entries);
    }
    entries.set(tableKeyText(stored), sort, stored);
  }

  private remove({ partition }: IndexKey, stored: StoredItem): void {
    const entries = this.partitions.get(partition);
    entries?.delete(tableKeyText(stored));
    if (entries?.size === 0) this.partitions.delete(partition);
  }
}

/** The key of an item in an index. */
export interface IndexKey {
  partition: string;
  sort: string;
}

/** The table's key as one text that no other key has, whatever characters ids hold. */
function tableKeyText({ source, target }: StoredItem): string {
  return `${source.length}:${source}${target}`;
}
