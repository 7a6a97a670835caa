import { type Item, stringOf } from '../core/items/attribute-value.ts';
import { compareKeys } from '../core/items/encoding.ts';
import { BELOW_DERIVED, describe, SERVICE_PARTITION } from '../core/items/keys.ts';
import type { TableNames } from '../core/model/compiled.ts';
import type { KeyPair, RawKeys } from '../core/model/keys/raw-keys.ts';
import { queriedItems, queryPages } from '../core/store-pages.ts';
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
  KeyTypes,
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
import { entriesInRange, isWithin, LAST, type RawRange, rangeOfBaseItems } from './keyed-ranges.ts';

/**
 * A store over a table with raw keys, which shows every item under its key in Edgeloom's form. Under a key that has no raw one, reads
 * find nothing, and writes are refused; so are writes of base items that other software writes (`read-only-type`). A query of base items gives them in the order of their keys in Edgeloom's form. A node whose
 * attribute makes an edge comes twice: as the node, and as the edge, which reads like any other and is not written.
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

  async keyTypes(): Promise<KeyTypes | undefined> {
    return await this.raw.keyTypes?.();
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

  async put(item: Item): Promise<WriteResult> {
    return await this.raw.put(this.stored(item));
  }

  async delete(key: ItemKey, unchanged?: RevisionCondition): Promise<DeleteResult> {
    return await this.raw.delete(this.writable(key), unchanged);
  }

  async writeMany(writes: readonly BatchWrite[], waits?: BatchWaits): Promise<WriteManyResult> {
    const stored = writes.map((write) =>
      'put' in write ? { put: this.stored(write.put) } : { delete: this.writable(write.delete) },
    );
    return await this.raw.writeMany(stored, waits);
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
    const failed = result.failed.map(({ place, current }) => {
      const found = this.itemAt(changes[place]!.key, current);
      return { place, ...(found && { current: found }) };
    });
    return { ...result, failed };
  }

  async query(request: QueryRequest): Promise<QueryResult> {
    const { index, partition, sortKey, startKey, itemKeys } = request;
    if (index !== undefined) {
      const sources = itemKeys?.sources.map((prefix) => this.keys.rawPartitionPrefix(prefix));
      // In partitions whose keys have lost the case of ids, the id is behind the sort key.
      const hasId = itemKeys?.sources.some((prefix) => this.keys.hasLostCase(prefix)) === true;
      const page = await this.raw.query({
        ...request,
        startKey: startKey && this.rawItem(startKey),
        ...(itemKeys && sources && { itemKeys: { ...itemKeys, sources, ...(hasId && { isPrefix: true }) } }),
      });
      return this.page(page, page.items.map(this.known));
    }
    const rawPartition = this.keys.rawPartition(partition);
    if (rawPartition === undefined) return NOTHING;
    const range = partition === SERVICE_PARTITION ? undefined : rangeOfBaseItems(sortKey);
    if (range !== undefined) return this.baseItems({ ...request, partition: rawPartition }, partition, range);
    // In a partition whose key has lost the case of the id, the id is behind the sort key.
    const hasId = this.keys.hasLostCase(partition);
    const raw: QueryRequest = { ...request, partition: rawPartition, startKey: startKey && this.rawItem(startKey) };
    if (hasId) return this.ownItems(raw, partition);
    const page = await this.raw.query(raw);
    return this.page(page, page.items.flatMap(this.allKnown));
  }

  /**
   * The items of one id in a raw partition that ids in another case share. Callers keep the sort key of a page's last key. Items of several
   * ids share one in Edgeloom's form, so a page ends at an item of this id, or at the end of the partition.
   */
  private async ownItems({ countOnly = false, ...request }: QueryRequest, source: string): Promise<QueryResult> {
    const { sortKey } = request;
    const to =
      sortKey !== undefined && 'to' in sortKey && sortKey.to !== undefined ? { to: `${sortKey.to}\0${LAST}` } : {};
    const all = { ...NOTHING };
    for await (const page of queryPages(this.raw, {
      ...request,
      ...(sortKey && { sortKey: { ...sortKey, ...to } }),
    })) {
      const items = page.items.flatMap(this.allKnown).filter((item) => this.keyOf(item).source === source);
      all.rcu += page.rcu;
      all.scanned += page.scanned;
      all.count += items.length;
      const last = items.at(-1);
      if (last === undefined) continue;
      const lastKey = page.lastKey && { lastKey: this.keyItem(this.keyOf(last)) };
      return { ...all, items: countOnly ? [] : items, ...lastKey };
    }
    return all;
  }

  async scan(request: ScanRequest): Promise<ScanPage> {
    const { startKey } = request;
    const page = await this.raw.scan({ ...request, ...(startKey && { startKey: this.rawItem(startKey) }) });
    return this.page(page, page.items.flatMap(this.allKnown));
  }

  /** The base items of a range. A small partition is read as it is; of a large one each kind by itself, in the order of their keys. */
  private async baseItems(request: QueryRequest, source: string, range: RawRange): Promise<QueryResult> {
    const { startKey, reverse = false, limit, countOnly } = request;
    const entries = entriesInRange(this.keys.entriesOf(source), range, reverse);
    const orderOf = (left: Item, right: Item): number =>
      compareKeys(this.keyOf(left).target, this.keyOf(right).target) * (reverse ? -1 : 1);
    let spent = NOTHING;
    if (startKey === undefined && entries.length > 1) {
      // A template makes no sort key that begins with `~`, or with a character that sorts behind `~`.
      spent = await this.raw.query({ ...request, countOnly: false, sortKey: BELOW_DERIVED });
      if (spent.lastKey === undefined) {
        const items = spent.items.flatMap(this.allKnown).filter((item) => {
          return this.keyOf(item).source === source && isWithin(this.keyOf(item).target, range);
        });
        items.sort(orderOf);
        return { ...spent, items: countOnly === true ? [] : items, count: items.length };
      }
    }
    const after = startKey && this.keyOf(startKey).target;
    const result = { ...NOTHING, items: [] as Item[], rcu: spent.rcu };
    for (const { known, raw, sortKey, isPast, isNode, isFolded } of entries) {
      if (after !== undefined && isPast(after)) continue;
      const isInside = after?.startsWith(known) === true;
      // The one item of it is behind the place.
      if (isInside && isNode) continue;
      const rest = limit === undefined ? undefined : limit - result.scanned;
      const part: QueryRequest = { ...request, sortKey, limit: rest, countOnly: false, startKey: undefined };
      const page = isFolded
        ? await this.allPages({ ...part, limit: undefined })
        : await this.raw.query({ ...part, startKey: isInside ? this.rawItem(startKey!) : undefined });
      const found = page.items.flatMap(this.allKnown).filter((item) => {
        const key = this.keyOf(item);
        return key.source === source && key.target.startsWith(known) && isWithin(key.target, range);
      });
      if (isFolded) {
        // The whole kind is read, since ids that have lost their case come in another order.
        const left = found.sort(orderOf).filter((item) => !isInside || orderOf(startKey!, item) < 0);
        const given = left.slice(0, rest);
        if (countOnly !== true) result.items.push(...given);
        result.count += given.length;
        result.scanned += given.length;
        result.rcu += page.rcu;
        if (given.length < left.length)
          return { ...result, lastKey: this.keyItem(this.keyOf(given.at(-1) ?? startKey!)) };
        continue;
      }
      if (countOnly !== true) result.items.push(...found);
      result.count += found.length;
      result.scanned += page.scanned;
      result.rcu += page.rcu;
      const isFull = limit !== undefined && result.scanned >= limit && known !== entries.at(-1)!.known;
      const last = page.lastKey ?? (isFull ? page.items.at(-1) : undefined);
      if (last === undefined) continue;
      // The place is in the space of this kind, although the last item that was read may be of another one.
      const target = known + (isNode ? LAST : this.keyOf(last).target.slice(raw.length));
      return { ...result, lastKey: this.keyItem({ source, target }) };
    }
    return result;
  }

  /** All pages of a query. */
  private async allPages(request: QueryRequest): Promise<QueryResult> {
    const all = { ...NOTHING, items: [] as Item[] };
    for await (const item of queriedItems(this.raw, request, all)) all.items.push(item);
    return all;
  }

  private readonly known = (item: Item): Item => {
    return { ...item, ...this.keyItem(this.keys.fromRaw(this.keyOf(item), item)) };
  };

  /** An item under each of its keys. */
  private readonly allKnown = (item: Item): Item[] =>
    this.keys.allFromRaw(this.keyOf(item), item).map((key) => ({ ...item, ...this.keyItem(key) }));

  /** The item under a key, where the item that has the raw key is of this kind. */
  private itemAt({ source, target }: ItemKey, item: Item | undefined): Item | undefined {
    return (
      item &&
      this.allKnown(item).find((known) => {
        const key = this.keyOf(known);
        return key.source === source && key.target === target;
      })
    );
  }

  private page<Page extends { items: Item[]; lastKey?: Item }>(page: Page, items: Item[]): Page {
    const { lastKey } = page;
    return { ...page, items, ...(lastKey && { lastKey: this.known(lastKey) }) };
  }

  private stored(item: Item): Item {
    return { ...item, ...this.keyItem(this.writable(this.keyOf(item))) };
  }

  private storedChange(change: BaseChange): BaseChange {
    if (change.kind === 'look') return this.storedLook(change);
    const stored = { ...change, key: this.writable(change.key) };
    return stored.kind === 'put' ? { ...stored, item: this.stored(stored.item) } : stored;
  }

  /** A look at an item, which finds none where another one has its keys. */
  private storedLook(look: Extract<BaseChange, { kind: 'look' }>): BaseChange {
    const own = [...this.keys.marksOf(look.key), ...this.keys.idsOf(look.key)];
    const equalIfPresent = Object.fromEntries(own.map(([name, S]) => [name, { S }]));
    const condition = own.length === 0 ? look.condition : { ...look.condition, equalIfPresent };
    return { ...look, key: this.held(look.key), condition };
  }

  private rawItem(item: Item): Item {
    return { ...item, ...this.keyItem(this.held(this.keyOf(item))) };
  }

  private writable(key: ItemKey): KeyPair {
    const made = this.keys.isMadeByNode(key) ? 'an attribute of its source makes it' : undefined;
    const reason = this.keys.readOnlyReason(key) ?? made;
    if (reason === undefined) return this.held(key);
    throw new StoreError(
      'terminal',
      'read-only-type',
      `${named(key)}: ${reason}, so Edgeloom only reads it.`,
      'Write it with the software that it belongs to.',
    );
  }

  private held(key: ItemKey): KeyPair {
    const raw = this.keys.toRaw(key);
    if (raw !== undefined) return raw;
    const reason = this.keys.misfitOf(key.source) ?? 'no template of the model makes such a key';
    throw new StoreError(
      'terminal',
      'invalid-key',
      `${named(key)} cannot be stored: ${reason}.`,
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

function named({ source, target }: ItemKey): string {
  return `The item ${describe(source)}${target === source ? '' : ` ${describe(target)}`}`;
}

const NOTHING: QueryResult = { items: [], count: 0, scanned: 0, rcu: 0 };
