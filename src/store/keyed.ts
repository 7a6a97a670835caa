import { type Item, stringOf } from '../core/items/attribute-value.ts';
import { compareKeys } from '../core/items/encoding.ts';
import { BELOW_DERIVED, describe, SERVICE_PARTITION } from '../core/items/keys.ts';
import type { TableNames } from '../core/model/compiled.ts';
import type { KeyPair, RawKeys } from '../core/model/keys/raw-keys.ts';
import type {
  BaseChange,
  BatchWaits,
  BatchWrite,
  ChangeAllResult,
  ChangeResult,
  DeleteResult,
  DerivedUpdate,
  GetManyResult,
  GetResult,
  ItemKey,
  QueryRequest,
  QueryResult,
  ReadManyOptions,
  ReadOptions,
  RevisionCondition,
  ScanPage,
  ScanRequest,
  ScanSource,
  Store,
  TransactResult,
  UpdateResult,
  WriteManyResult,
  WriteResult,
} from '../core/store-port.ts';
import { StoreError } from '../foundation/errors.ts';
import { entriesInRange, isWithin, type RawRange, rangeOfBaseItems } from './keyed-ranges.ts';

/**
 * A store over a table with raw keys, which shows every item under its key in Edgeloom's form. Under a key that has no raw one, reads
 * find nothing, and writes are refused. A query of base items gives them in the order of their keys in Edgeloom's form.
 */
export class KeyedStore implements Store, ScanSource {
  private readonly keys: RawKeys;

  constructor(
    private readonly raw: Store & ScanSource,
    private readonly table: TableNames & { rawKeys: RawKeys },
  ) {
    this.keys = table.rawKeys;
  }

  async region(): Promise<string | undefined> {
    return await this.raw.region?.();
  }

  async get(key: ItemKey, options: ReadOptions): Promise<GetResult> {
    const rawKey = this.keys.toRaw(key);
    if (rawKey === undefined) return { rcu: 0 };
    const { item, rcu } = await this.raw.get(rawKey, options);
    const found = this.itemAt(key, item);
    return { rcu, ...(found && { item: found }) };
  }

  async getMany(keys: readonly ItemKey[], options: ReadManyOptions): Promise<GetManyResult> {
    const rawKeys = keys.map((key) => this.keys.toRaw(key));
    const possible = rawKeys.filter((key) => key !== undefined);
    const { items, ...rest } = await this.raw.getMany(possible, options);
    const found = items.values();
    return {
      ...rest,
      items: keys.map((key, i) => (rawKeys[i] === undefined ? undefined : this.itemAt(key, found.next().value))),
    };
  }

  async update(update: DerivedUpdate): Promise<UpdateResult> {
    const result = await this.raw.update({ ...update, key: this.writable(update.key) });
    return !result.applied && result.current ? { ...result, current: this.known(result.current) } : result;
  }

  transact(updates: readonly DerivedUpdate[]): Promise<TransactResult> {
    return this.raw.transact(updates.map((update) => ({ ...update, key: this.writable(update.key) })));
  }

  put(item: Item): Promise<WriteResult> {
    return this.raw.put(this.stored(item));
  }

  delete(key: ItemKey, unchanged?: RevisionCondition): Promise<DeleteResult> {
    return this.raw.delete(this.writable(key), unchanged);
  }

  writeMany(writes: readonly BatchWrite[], waits?: BatchWaits): Promise<WriteManyResult> {
    const stored = writes.map((write) =>
      'put' in write ? { put: this.stored(write.put) } : { delete: this.writable(write.delete) },
    );
    return this.raw.writeMany(stored, waits);
  }

  async change(change: BaseChange): Promise<ChangeResult> {
    const result = await this.raw.change(this.storedChange(change));
    if ('current' in result) return { ...result, current: this.itemAt(change.key, result.current) };
    return 'item' in result ? { ...result, item: this.itemAt(change.key, result.item) } : result;
  }

  async changeAll(changes: readonly BaseChange[], token: string): Promise<ChangeAllResult> {
    const result = await this.raw.changeAll(
      changes.map((change) => this.storedChange(change)),
      token,
    );
    if (result.applied) return result;
    const failed = result.failed.map(({ place, current }) => ({
      place,
      ...(current && { current: this.known(current) }),
    }));
    return { ...result, failed };
  }

  async query(request: QueryRequest): Promise<QueryResult> {
    const { index, partition, sortKey, startKey, itemKeys } = request;
    if (index !== undefined) {
      const sources = itemKeys?.sources.map((prefix) => this.keys.rawPartitionPrefix(prefix));
      const page = await this.raw.query({
        ...request,
        startKey: startKey && this.rawItem(startKey),
        ...(itemKeys && sources && { itemKeys: { ...itemKeys, sources } }),
      });
      return this.page(page, page.items.map(this.known));
    }
    const rawPartition = this.keys.rawPartition(partition);
    if (rawPartition === undefined) return NOTHING;
    const range = partition === SERVICE_PARTITION ? undefined : rangeOfBaseItems(sortKey);
    if (range !== undefined) return this.baseItems({ ...request, partition: rawPartition }, partition, range);
    const page = await this.raw.query({
      ...request,
      partition: rawPartition,
      startKey: startKey && this.rawItem(startKey),
    });
    return this.page(page, page.items.map(this.known));
  }

  async scan(request: ScanRequest): Promise<ScanPage> {
    const { startKey } = request;
    const page = await this.raw.scan({ ...request, ...(startKey && { startKey: this.rawItem(startKey) }) });
    return this.page(page, page.items.map(this.known));
  }

  /** The base items of a range. A small partition is read as it is; of a large one each kind by itself, in the order of their keys. */
  private async baseItems(request: QueryRequest, source: string, range: RawRange): Promise<QueryResult> {
    const { startKey, reverse = false, limit, countOnly } = request;
    const entries = entriesInRange(this.keys.entriesOf(source), range, reverse);
    let spent = NOTHING;
    if (startKey === undefined && entries.length > 1) {
      // A template makes no sort key that begins with `~`, or with a character that sorts behind `~`.
      spent = await this.raw.query({ ...request, countOnly: false, sortKey: BELOW_DERIVED });
      if (spent.lastKey === undefined) {
        const items = spent.items.map(this.known).filter((item) => isWithin(this.keyOf(item).target, range));
        const order = (left: Item, right: Item): number =>
          compareKeys(this.keyOf(left).target, this.keyOf(right).target);
        items.sort(reverse ? (left, right) => order(right, left) : order);
        return { ...spent, items: countOnly === true ? [] : items, count: items.length };
      }
    }
    const after = startKey && this.keyOf(startKey).target;
    const result = { ...NOTHING, items: [] as Item[], rcu: spent.rcu };
    for (const { known, raw, sortKey, isPast } of entries) {
      if (after !== undefined && isPast(after)) continue;
      const isInside = after?.startsWith(known) === true;
      const rest = limit === undefined ? undefined : limit - result.scanned;
      const page = await this.raw.query({
        ...request,
        ...{ sortKey, limit: rest, startKey: isInside ? this.rawItem(startKey!) : undefined },
      });
      const found = page.items.map(this.known).filter((item) => this.keyOf(item).target.startsWith(known));
      result.items.push(...found);
      result.count += countOnly === true ? page.count : found.length;
      result.scanned += page.scanned;
      result.rcu += page.rcu;
      const isFull = limit !== undefined && result.scanned >= limit && known !== entries.at(-1)!.known;
      const last = page.lastKey ?? (isFull ? page.items.at(-1) : undefined);
      if (last === undefined) continue;
      // The place is in the space of this kind, although the last item that was read may be of another one.
      const target = known + this.keyOf(last).target.slice(raw.length);
      return { ...result, lastKey: this.keyItem({ source, target }) };
    }
    return result;
  }

  private readonly known = (item: Item): Item => {
    return { ...item, ...this.keyItem(this.keys.fromRaw(this.keyOf(item), item)) };
  };

  /** The item under a key, where the item that has the raw key is of this kind. */
  private itemAt({ source, target }: ItemKey, item: Item | undefined): Item | undefined {
    const known = item && this.known(item);
    const key = known && this.keyOf(known);
    return key?.source === source && key.target === target ? known : undefined;
  }

  private page<Page extends { items: Item[]; lastKey?: Item }>(page: Page, items: Item[]): Page {
    const { lastKey } = page;
    return { ...page, items, ...(lastKey && { lastKey: this.known(lastKey) }) };
  }

  /** An item as it is stored, with the attributes that tell its kind. */
  private stored(item: Item): Item {
    const key = this.keyOf(item);
    const stored: Item = { ...item, ...this.keyItem(this.writable(key)) };
    for (const [name, value] of this.keys.marksOf(key)) stored[name] = { S: value };
    return stored;
  }

  private storedChange(change: BaseChange): BaseChange {
    const key = this.writable(change.key);
    if (change.kind === 'put') return { ...change, key, item: this.stored(change.item) };
    const marks = Object.fromEntries(this.keys.marksOf(change.key).map(([name, value]) => [name, { S: value }]));
    if (change.kind !== 'update' || Object.keys(marks).length === 0) return { ...change, key };
    return { ...change, key, changes: { ...change.changes, set: { ...change.changes.set, ...marks } } };
  }

  private rawItem(item: Item): Item {
    return { ...item, ...this.keyItem(this.writable(this.keyOf(item))) };
  }

  private writable(key: ItemKey): KeyPair {
    const raw = this.keys.toRaw(key);
    if (raw !== undefined) return raw;
    const { source, target } = key;
    const reason = this.keys.misfitOf(source) ?? 'no template of the model makes such a key';
    throw new StoreError(
      'terminal',
      'invalid-key',
      `The item ${describe(source)}${target === source ? '' : ` ${describe(target)}`} cannot be stored: ${reason}.`,
      'Use another id, or another key option in the model.',
    );
  }

  private keyOf(item: Item): KeyPair {
    const { partitionKey, sortKey } = this.table;
    return { source: stringOf(item[partitionKey]) ?? '', target: stringOf(item[sortKey]) ?? '' };
  }

  private keyItem({ source, target }: KeyPair): Item {
    return { [this.table.partitionKey]: { S: source }, [this.table.sortKey]: { S: target } };
  }
}

const NOTHING: QueryResult = { items: [], count: 0, scanned: 0, rcu: 0 };
