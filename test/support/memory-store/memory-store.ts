import { attributeOf, type Item, numberOf, sameItem, stringOf } from '../../../src/core/items/attribute-value.ts';
import { readUnits, writeUnits } from '../../../src/core/items/capacity.ts';
import { USUAL_INDEXES } from '../../../src/core/items/derived-item.ts';
import { isKeyWithinLimits, PARTITION_KEY_BYTES, SORT_KEY_BYTES } from '../../../src/core/items/keys.ts';
import type { IndexName, TableNames } from '../../../src/core/model/compiled.ts';
import type { NativeIndexNeed } from '../../../src/core/model/native.ts';
import {
  type BaseChange,
  type BatchWrite,
  type ChangeAllResult,
  type ChangeResult,
  type DeleteResult,
  type DerivedUpdate,
  type GetManyResult,
  type GetResult,
  type ItemKey,
  type NativeQueryRequest,
  type QueryRequest,
  type QueryResult,
  type ReadOptions,
  type RevisionCondition,
  type ScanPage,
  type ScanRequest,
  type ScanSource,
  type Store,
  TRANSACTION_ITEMS,
  type TransactResult,
  type UpdateManyOptions,
  type UpdateOutcome,
  type UpdateResult,
  type WriteManyResult,
  type WriteResult,
} from '../../../src/core/store-port.ts';
import { StoreError } from '../../../src/foundation/errors.ts';
import { updateEach } from '../../../src/store/update-run.ts';
import { changedItem, checkedChange, mayChange } from './base-change.ts';
import { MemoryIndex } from './index.ts';
import { copyIn, copyOut, refused, type StoredItem, storedItem } from './item.ts';
import { checkNativeKeys, nativePage, nativeUnits } from './native.ts';
import { MemoryPartition } from './partition.ts';
import { readPage } from './query.ts';
import { scanPage } from './scan.ts';
import { checkedUpdate, meets, updatedItem } from './update.ts';

const BATCH_GET_KEYS = 100;
const BATCH_GET_BYTES = 16 * 1024 * 1024;
const BATCH_WRITE_ITEMS = 25;

/** An effective change of one item: what a stream with both images tells of it. */
export interface ItemChange {
  key: ItemKey;
  /** Absent for an insert. */
  oldImage?: Item;
  /** Absent for a removal. */
  newImage?: Item;
}

/** Options of a memory store. */
export interface MemoryStoreOptions {
  /** The indexes that the table has. Default: gsi0, gsi1 and what else its names say. */
  indexes?: readonly IndexName[];
  /** Whether its indexes hold all attributes. Default: what readers need. */
  indexesOfAll?: boolean;
  /** The native indexes that the table has. Default: each that a query names, with all attributes, and no key is refused. */
  nativeIndexes?: readonly NativeIndexNeed[];
  /** Called within each write that changes an item; as on AWS, not for one that leaves it as it was. */
  onChange?: (change: ItemChange) => void;
}

/**
 * A table in memory that keeps the contract of `DynamoDBStore`: conditions, sets, consumed capacity, limits and errors
 * are DynamoDB's. Calls run to their end before they return their promise, so each is atomic. Nothing is shared with the
 * caller: items are copied on the way in and out.
 */
export class MemoryStore implements Store, ScanSource {
  private readonly partitions = new Map<string, MemoryPartition>();
  private readonly indexes: ReadonlyMap<IndexName, MemoryIndex>;
  private readonly nativeIndexes: MemoryStoreOptions['nativeIndexes'];
  private readonly onChange: MemoryStoreOptions['onChange'];
  /** Tokens of transactions that were made, with what they changed; DynamoDB keeps them for ten minutes. */
  private readonly tokens = new Map<string, string>();

  constructor(
    private readonly table: TableNames,
    { indexes, indexesOfAll, nativeIndexes, onChange }: MemoryStoreOptions = {},
  ) {
    const all = indexes ?? new Set<IndexName>([...USUAL_INDEXES, ...(table.indexes ?? [])]);
    this.indexes = new Map([...all].map((name) => [name, new MemoryIndex(name, table, indexesOfAll)]));
    this.nativeIndexes = nativeIndexes;
    this.onChange = onChange;
  }

  async get(key: ItemKey, { consistent }: ReadOptions): Promise<GetResult> {
    if (!isKeyWithinLimits(key)) return { rcu: 0 };
    checkKey(key);
    const stored = this.find(key);
    return { item: stored && copyOut(stored.item), rcu: readUnits(stored?.sizeBytes ?? 0, consistent) };
  }

  async getMany(keys: readonly ItemKey[], { consistent }: ReadOptions): Promise<GetManyResult> {
    const distinct = new Map<string, ItemKey>();
    for (const key of keys) {
      if (!isKeyWithinLimits(key)) continue;
      checkKey(key);
      distinct.set(JSON.stringify([key.source, key.target]), key);
    }
    let rcu = 0;
    let calls = 0;
    let bytes = 0;
    let count = 0;
    for (const key of distinct.values()) {
      const sizeBytes = this.find(key)?.sizeBytes ?? 0;
      rcu += readUnits(sizeBytes, consistent);
      bytes += sizeBytes;
      if (count % BATCH_GET_KEYS === 0 || bytes > BATCH_GET_BYTES) {
        calls += 1;
        bytes = sizeBytes;
      }
      count += 1;
    }
    const items = keys.map((key) => {
      const stored = this.find(key);
      return stored && copyOut(stored.item);
    });
    return { items, rcu, calls };
  }

  async update(update: DerivedUpdate): Promise<UpdateResult> {
    const prepared = this.preparedUpdate(update);
    const { before, after } = prepared;
    if (after !== undefined) return { applied: true, wcu: this.write(before, after) };
    return { applied: false, wcu: writeUnits(before?.sizeBytes ?? 0), current: before && copyOut(before.item) };
  }

  async updateMany(updates: readonly DerivedUpdate[], options?: UpdateManyOptions): Promise<readonly UpdateOutcome[]> {
    return await updateEach(updates, (update) => this.update(update), options);
  }

  async transact(updates: readonly DerivedUpdate[]): Promise<TransactResult> {
    checkTransaction(updates.map(({ key }) => key));
    const prepared = updates.map((update) => this.preparedUpdate(update));
    let wcu = 0;
    if (prepared.some(({ after }) => after === undefined)) {
      for (const { before, after } of prepared) {
        wcu += 2 * writeUnits(Math.max(before?.sizeBytes ?? 0, after?.sizeBytes ?? 0));
      }
      return { applied: false, wcu };
    }
    for (const { before, after } of prepared) wcu += this.write(before, after, 2);
    return { applied: true, wcu };
  }
  async put(item: Item): Promise<WriteResult> {
    const after = this.incoming(item);
    return { wcu: this.write(this.find(after), after) };
  }

  async delete(key: ItemKey, unchanged?: RevisionCondition): Promise<DeleteResult> {
    checkKey(key);
    const before = this.find(key);
    if (unchanged !== undefined && !meets(before?.item, unchanged)) {
      return { applied: false, wcu: writeUnits(before?.sizeBytes ?? 0) };
    }
    return { applied: true, wcu: this.write(before, undefined) };
  }

  async writeMany(writes: readonly BatchWrite[]): Promise<WriteManyResult> {
    let wcu = 0;
    let calls = 0;
    for (let start = 0; start < writes.length; start += BATCH_WRITE_ITEMS) {
      // A call is refused as a whole before it writes anything.
      const chunk = writes.slice(start, start + BATCH_WRITE_ITEMS).map((write) => this.prepared(write));
      if (new Set(chunk.map(({ key }) => JSON.stringify([key.source, key.target]))).size !== chunk.length) {
        throw refused('a batch names a key twice');
      }
      for (const { key, after } of chunk) wcu += this.write(this.find(key), after);
      calls += 1;
    }
    return { wcu, calls };
  }

  /** This table is on this machine, so the machine's clock is the table's own. */
  async serverTime(): Promise<number> {
    return Date.now();
  }

  async change(change: BaseChange): Promise<ChangeResult> {
    const { before, after, holds } = this.preparedChange(change);
    if (!holds) {
      return {
        applied: false,
        wcu: writeUnits(before?.sizeBytes ?? 0),
        ...(before && { current: copyOut(before.item) }),
      };
    }
    return { applied: true, wcu: this.write(before, after), ...(after && { item: copyOut(after.item) }) };
  }

  async changeAll(changes: readonly BaseChange[], token: string): Promise<ChangeAllResult> {
    checkTransaction(changes.map(({ key }) => key));
    const text = JSON.stringify(changes, (_, value) => (value instanceof Uint8Array ? [...value] : value));
    const earlier = this.tokens.get(token);
    if (earlier !== undefined && earlier !== text) {
      const message = 'The memory store has seen the token with other changes.';
      throw new StoreError('terminal', 'IdempotentParameterMismatchException', message);
    }
    if (earlier !== undefined) return { applied: true, wcu: 0 };
    const prepared = changes.map((change) => this.preparedChange(change));
    const wcu = (change: PreparedChange): number =>
      2 * writeUnits(Math.max(change.before?.sizeBytes ?? 0, change.after?.sizeBytes ?? 0));
    const failed = prepared.flatMap(({ before, holds }, place) =>
      holds ? [] : [{ place, ...(before && { current: copyOut(before.item) }) }],
    );
    if (failed.length > 0) return { applied: false, wcu: prepared.reduce((sum, one) => sum + wcu(one), 0), failed };
    this.tokens.set(token, text);
    let total = 0;
    for (const [i, one] of prepared.entries()) {
      total += changes[i]!.kind === 'look' ? wcu(one) : this.write(one.before, one.after, 2);
    }
    return { applied: true, wcu: total };
  }

  /** What a change makes of an item: nothing where its condition does not hold. */
  private preparedChange(change: BaseChange): PreparedChange {
    const { key } = change;
    checkKey(key);
    const before = this.find(key);
    const checked = checkedChange(change, this.table);
    if (checked.kind === 'put') {
      const after = this.incoming(checked.item);
      return { before, after, holds: mayChange(before?.item, change) };
    }
    if (!mayChange(before?.item, change)) return { before, holds: false };
    if (checked.kind !== 'update') return { before, after: checked.kind === 'look' ? before : undefined, holds: true };
    const item = before?.item ?? {
      [this.table.partitionKey]: { S: key.source },
      [this.table.sortKey]: { S: key.target },
    };
    const after = storedItem(key.source, key.target, changedItem(item, checked.changes));
    this.check(after);
    return { before, after, holds: true };
  }

  async query(request: QueryRequest): Promise<QueryResult> {
    const { index: name, partition } = request;
    if (name === undefined) return readPage(this.table, request, this.partitions.get(partition));
    const index = this.indexes.get(name);
    if (index === undefined) throw refused(`the table has no index ${name}`);
    return readPage(this.table, request, index.partition(partition));
  }

  async queryNative(request: NativeQueryRequest): Promise<QueryResult> {
    const need = this.nativeIndexes?.find(({ name }) => name === request.index.name);
    if (this.nativeIndexes !== undefined && need === undefined)
      throw refused(`the table has no index ${request.index.name}`);
    return nativePage(this.table, request, this.items(), need);
  }

  async scan(request: ScanRequest): Promise<ScanPage> {
    const index = request.index && this.indexes.get(request.index);
    if (request.index !== undefined && index === undefined) throw refused(`the table has no index ${request.index}`);
    return scanPage(this.table, request, this.partitions, index);
  }

  /** Every item, a copy each; partitions in the order of their first write, sort keys in theirs. */
  *items(): Generator<Item> {
    for (const partition of this.partitions.values()) {
      for (const { stored } of partition.inOrder()) yield copyOut(stored.item);
    }
  }

  /** Does what DynamoDB's TTL does: deletes the items whose expiry is before now. Gives their number. */
  expire(nowSeconds: number): number {
    const expired: StoredItem[] = [];
    for (const partition of this.partitions.values()) {
      for (const { stored } of partition.inOrder()) {
        const expiry = numberOf(attributeOf(stored.item, this.table.ttl));
        if (expiry !== undefined && Number(expiry) < nowSeconds) expired.push(stored);
      }
    }
    for (const stored of expired) this.write(stored, undefined);
    return expired.length;
  }

  private find({ source, target }: ItemKey): StoredItem | undefined {
    return this.partitions.get(source)?.get(target);
  }

  /** An item and what an update makes of it; no `after` where the condition is not met. */
  private preparedUpdate(update: DerivedUpdate): { before?: StoredItem; after?: StoredItem } {
    const { source, target } = update.key;
    checkKey(update.key);
    const checked = checkedUpdate(update);
    const before = this.find(update.key);
    if (!meets(before?.item, checked.condition)) return { before };
    const { partitionKey, sortKey } = this.table;
    for (const name of [partitionKey, sortKey]) {
      if (Object.hasOwn(checked.set, name) || checked.unset.includes(name)) throw refused(`${name} is part of the key`);
    }
    const item = before?.item ?? { [partitionKey]: { S: source }, [sortKey]: { S: target } };
    const after = storedItem(source, target, updatedItem(item, checked));
    this.check(after);
    return { before, after };
  }

  private prepared(write: BatchWrite): { key: ItemKey; after?: StoredItem } {
    if ('put' in write) {
      const after = this.incoming(write.put);
      return { key: after, after };
    }
    checkKey(write.delete);
    return { key: write.delete };
  }

  /** A checked copy of an item to be put. */
  private incoming(item: Item): StoredItem {
    const { partitionKey, sortKey } = this.table;
    const source = stringOf(attributeOf(item, partitionKey));
    const target = stringOf(attributeOf(item, sortKey));
    if (source === undefined || target === undefined) {
      throw refused(`an item has no text in its keys ${partitionKey} and ${sortKey}`);
    }
    checkKey({ source, target });
    const stored = storedItem(source, target, copyIn(item));
    this.check(stored);
    return stored;
  }

  /** Throws where a key attribute of an index has a value that the index cannot take. */
  private check(stored: StoredItem): void {
    for (const index of this.indexes.values()) index.keyOf(stored);
    checkNativeKeys(this.nativeIndexes ?? [], stored.item);
  }

  /** Replaces an item by a checked one; gives the write units, those of indexes included. */
  private write(before: StoredItem | undefined, after: StoredItem | undefined, factor = 1): number {
    let wcu = factor * writeUnits(Math.max(before?.sizeBytes ?? 0, after?.sizeBytes ?? 0));
    for (const index of this.indexes.values()) wcu += index.write(before, after);
    for (const index of this.nativeIndexes ?? []) wcu += nativeUnits(this.table, index, before?.item, after?.item);
    if (after !== undefined) this.keep(after);
    else if (before !== undefined) this.remove(before);
    if (this.onChange !== undefined && !sameItem(before?.item, after?.item)) {
      const { source, target } = (after ?? before)!;
      this.onChange({
        key: { source, target },
        oldImage: before && copyOut(before.item),
        newImage: after && copyOut(after.item),
      });
    }
    return wcu;
  }

  private keep(stored: StoredItem): void {
    let partition = this.partitions.get(stored.source);
    if (partition === undefined) {
      partition = new MemoryPartition();
      this.partitions.set(stored.source, partition);
    }
    partition.set(stored.target, stored.target, stored);
  }

  private remove({ source, target }: StoredItem): void {
    const partition = this.partitions.get(source);
    partition?.delete(target);
    if (partition?.size === 0) this.partitions.delete(source);
  }
}

/** A change that was checked: the item before, what it becomes, and whether its condition holds. */
interface PreparedChange {
  before?: StoredItem;
  after?: StoredItem;
  holds: boolean;
}

function checkTransaction(keys: readonly ItemKey[]): void {
  if (keys.length === 0 || keys.length > TRANSACTION_ITEMS) throw refused(`a transaction has ${keys.length} items`);
  const texts = keys.map(({ source, target }) => JSON.stringify([source, target]));
  if (new Set(texts).size !== texts.length) throw refused('a transaction names a key twice');
}

function checkKey({ source, target }: ItemKey): void {
  checkKeyText(source, PARTITION_KEY_BYTES);
  checkKeyText(target, SORT_KEY_BYTES);
}

function checkKeyText(text: string, limitBytes: number): void {
  if (text === '') throw refused('a key is empty');
  // A UTF-16 unit takes three bytes of UTF-8 at most.
  if (text.length * 3 > limitBytes && Buffer.byteLength(text) > limitBytes) {
    throw refused(`a key has more than ${limitBytes} bytes`);
  }
}
