import type { Item } from '../../../../src/core/items/attribute-value.ts';
import type { TableNames } from '../../../../src/core/model/compiled.ts';
import type { ItemKey } from '../../../../src/core/store-port.ts';
import { MemoryStore } from '../../../support/memory-store/memory-store.ts';
import { frozen, nameOf } from '../../kernel/values.ts';

const PAGE = 3;

/** A table of the attack, and what it was before. Who reads a page may see each item as it was a moment ago. */
export class AttackTable {
  readonly engine: MemoryStore;
  private readonly versions = new Map<string, { at: number; item: Item | undefined }[]>();

  constructor(
    private readonly now: () => number,
    private readonly names: Pick<TableNames, 'partitionKey' | 'sortKey' | 'ttl'>,
  ) {
    this.engine = new MemoryStore(names as TableNames, { onChange: ({ key, newImage }) => this.note(key, newImage) });
  }

  get(key: ItemKey): Item | undefined {
    return this.versions.get(nameOf(key))?.at(-1)?.item;
  }

  /** Every item, or every item as it was at a time. */
  *all(at = Number.POSITIVE_INFINITY): Generator<Item> {
    for (const name of [...this.versions.keys()].sort()) {
      const item = this.versions.get(name)!.findLast((version) => version.at <= at)?.item;
      if (item !== undefined) yield item;
    }
  }

  /** What a key held before. */
  past(key: ItemKey): (Item | undefined)[] {
    return (this.versions.get(nameOf(key)) ?? []).map(({ item }) => item);
  }

  keyOf(item: Item): ItemKey {
    const [source, target] = this.keyNames().map((name) => (item[name] as { S: string }).S);
    return { source: source!, target: target! };
  }

  set(key: ItemKey, item: Item | undefined): void {
    void (item === undefined ? this.engine.delete(key) : this.engine.put(item));
  }

  /** A page as it was at a time; everything is in the first segment. */
  page(startKey: Item | undefined, segment: number, at: number): { items: Item[]; lastKey?: Item } {
    const after = startKey === undefined ? '' : nameOf(this.keyOf(startKey));
    const rest = segment > 0 ? [] : [...this.all(at)].filter((item) => nameOf(this.keyOf(item)) > after);
    const items = rest.slice(0, PAGE);
    return { items, ...(rest.length > PAGE && { lastKey: this.keyIn(items.at(-1)!) }) };
  }

  private note(key: ItemKey, item: Item | undefined): void {
    const name = nameOf(key);
    this.versions.set(name, [...(this.versions.get(name) ?? []), { at: this.now(), item: frozen(item) }]);
  }

  private keyIn(item: Item): Item {
    return Object.fromEntries(this.keyNames().map((name) => [name, item[name]!]));
  }

  private keyNames(): string[] {
    return [this.names.partitionKey, this.names.sortKey];
  }
}
