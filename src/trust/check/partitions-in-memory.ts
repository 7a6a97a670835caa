import { type Item, stringOf } from '../../core/items/attribute-value.ts';
import { compareKeys } from '../../core/items/encoding.ts';
import type { TableNames } from '../../core/model/compiled.ts';
import type { GetManyResult, GetResult, ItemKey, QueryRequest, QueryResult, Store } from '../../core/store-port.ts';

export class PartitionsInMemory implements Pick<Store, 'get' | 'getMany' | 'query'> {
  private readonly partitions = new Map<string, Map<string, Item>>();
  private readonly sorted = new Map<string, string[]>();

  constructor(private readonly table: TableNames) {}

  add({ source, target }: ItemKey, item: Item): void {
    const partition = this.partitions.get(source) ?? new Map<string, Item>();
    this.partitions.set(source, partition.set(target, item));
    this.sorted.delete(source);
  }

  async get(key: ItemKey): Promise<GetResult> {
    return { item: this.find(key), rcu: 0 };
  }

  async getMany(keys: readonly ItemKey[]): Promise<GetManyResult> {
    return { items: keys.map((key) => this.find(key)), rcu: 0, calls: 0 };
  }

  async query({ partition, sortKey = {}, limit, startKey }: QueryRequest): Promise<QueryResult> {
    const after = stringOf(startKey?.[this.table.sortKey]);
    const isAsked = (key: string): boolean => {
      if (after !== undefined && compareKeys(key, after) <= 0) return false;
      if ('beginsWith' in sortKey) return key.startsWith(sortKey.beginsWith);
      const { from, to } = sortKey;
      return (from === undefined || compareKeys(key, from) >= 0) && (to === undefined || compareKeys(key, to) <= 0);
    };
    const all = this.sortKeysOf(partition).filter(isAsked);
    const keys = all.slice(0, limit);
    const items = keys.map((target) => this.find({ source: partition, target })!);
    return {
      items,
      count: items.length,
      scanned: items.length,
      rcu: 0,
      ...(keys.length < all.length && { lastKey: items.at(-1)! }),
    };
  }

  private find({ source, target }: ItemKey): Item | undefined {
    return this.partitions.get(source)?.get(target);
  }

  private sortKeysOf(source: string): string[] {
    let keys = this.sorted.get(source);
    if (keys === undefined) {
      keys = [...(this.partitions.get(source)?.keys() ?? [])].sort(compareKeys);
      this.sorted.set(source, keys);
    }
    return keys;
  }
}
