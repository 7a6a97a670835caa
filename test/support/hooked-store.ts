import type { Item } from '../../src/core/items/attribute-value.ts';
import type {
  BaseChange,
  BatchWrite,
  DerivedUpdate,
  ItemKey,
  QueryRequest,
  ReadOptions,
  RevisionCondition,
  Store,
} from '../../src/core/store-port.ts';

/** One call of a store, before it is made. */
export interface StoreCall {
  method: keyof Store;
  /** Keys concerned, as `source target`. */
  keys: string[];
}

/** Passes every call on and notes it; `before` may wait, change the table, or throw in place of the call. */
export class HookedStore implements Store {
  readonly calls: StoreCall[] = [];

  constructor(
    private readonly inner: Store,
    private readonly before: (call: StoreCall, number: number) => Promise<void> | void = () => undefined,
  ) {}

  /** The calls so far, as `method source target`. */
  get log(): string[] {
    return this.calls.map(({ method, keys }) => [method, ...keys].join(' '));
  }

  async get(key: ItemKey, options: ReadOptions) {
    await this.note('get', [key]);
    return await this.inner.get(key, options);
  }
  async getMany(keys: readonly ItemKey[], options: ReadOptions) {
    await this.note('getMany', keys);
    return await this.inner.getMany(keys, options);
  }
  async update(update: DerivedUpdate) {
    await this.note('update', [update.key]);
    return await this.inner.update(update);
  }
  async transact(updates: readonly DerivedUpdate[]) {
    await this.note(
      'transact',
      updates.map(({ key }) => key),
    );
    return await this.inner.transact(updates);
  }
  async put(item: Item) {
    await this.note('put', [keyOf(item)]);
    return await this.inner.put(item);
  }
  async delete(key: ItemKey, unchanged?: RevisionCondition) {
    await this.note('delete', [key]);
    return await this.inner.delete(key, unchanged);
  }
  async writeMany(writes: readonly BatchWrite[]) {
    await this.note(
      'writeMany',
      writes.map((write) => ('put' in write ? keyOf(write.put) : write.delete)),
    );
    return await this.inner.writeMany(writes);
  }
  async change(change: BaseChange) {
    await this.note('change', [change.key]);
    return await this.inner.change(change);
  }
  async changeAll(changes: readonly BaseChange[], token: string) {
    await this.note(
      'changeAll',
      changes.map(({ key }) => key),
    );
    return await this.inner.changeAll(changes, token);
  }
  async query(request: QueryRequest) {
    await this.note('query', [{ source: request.partition, target: '' }]);
    return await this.inner.query(request);
  }

  private async note(method: keyof Store, keys: readonly ItemKey[]): Promise<void> {
    const call = { method, keys: keys.map(({ source, target }) => `${source} ${target}`) };
    this.calls.push(call);
    await this.before(call, this.calls.length);
  }
}

function keyOf(item: Item): ItemKey {
  const text = (name: string): string => (item[name] as { S: string }).S;
  return { source: text('source'), target: text('target') };
}
