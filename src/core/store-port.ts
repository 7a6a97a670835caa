import type { TableDescription, UpdateTableCommandInput } from '@aws-sdk/client-dynamodb';
import type { StoreError } from '../foundation/errors.ts';
import type { Abortable, RuntimeOptions } from '../foundation/runtime.ts';
import type { AttributeValue, Item } from './items/attribute-value.ts';
import type { Filter } from './items/filter.ts';
import type { ItemKey } from './items/keys.ts';
import type { IndexName } from './model/compiled.ts';
import type { NativeIndex } from './model/native-indexes.ts';
import type { ItemKeys } from './model/projection/index-places.ts';

export type { ItemKey } from './items/keys.ts';

/**
 * All access to the table goes through a store. A failed call throws a `StoreError`; only the unprocessed rest of a
 * batch is retried.
 */
export interface Store {
  get(key: ItemKey, options: ReadOptions): Promise<GetResult>;
  /** Returns items in the order of `keys`; undefined for an absent item. */
  getMany(keys: readonly ItemKey[], options: ReadManyOptions): Promise<GetManyResult>;
  update(update: DerivedUpdate): Promise<UpdateResult>;
  /**
   * Returns an outcome for each update, in the order of `updates`. Each update has its own condition. An error that
   * affects all updates (`no-connection`, or a fatal one) ends the call: it becomes the outcome of all unsent updates,
   * and is thrown if no update has another outcome.
   */
  updateMany(updates: readonly DerivedUpdate[], options?: UpdateManyOptions): Promise<readonly UpdateOutcome[]>;
  /**
   * Makes all updates or none, at twice the capacity. Takes at most `TRANSACTION_ITEMS`, each for a different item. A
   * conflict is retryable.
   */
  transact(updates: readonly DerivedUpdate[]): Promise<TransactResult>;
  put(item: Item): Promise<WriteResult>;
  /** Deletes an item; with `unchanged`, only at exactly this revision. */
  delete(key: ItemKey, unchanged?: RevisionCondition): Promise<DeleteResult>;
  /** Makes all writes. Each key may occur only once. */
  writeMany(writes: readonly BatchWrite[], waits?: BatchWaits): Promise<WriteManyResult>;
  /** Makes one attempt. After an error, the change may still have been made, unless DynamoDB has refused it. */
  change(change: BaseChange): Promise<ChangeResult>;
  /**
   * Makes all changes or none. Takes at most `TRANSACTION_ITEMS`, each for a different item. Calls with the same token
   * make the changes once within ten minutes.
   */
  changeAll(changes: readonly BaseChange[], token: string): Promise<ChangeAllResult>;
  query(request: QueryRequest): Promise<QueryResult>;
  /** Returns base items, with the attributes that the index holds. */
  queryNative(request: NativeQueryRequest): Promise<QueryResult>;
  region?(): Promise<string | undefined>;
  /** Returns how `updateMany` writes, once a response has shown it. */
  writesBy?(): Promise<WayOfWriting | undefined>;
  /** Returns DynamoDB's time in milliseconds since 1970. */
  serverTime?(): Promise<number | undefined>;
  /** Absent, like `changeTable`, if the store has no indexes to change. */
  describe?: (() => Promise<TableDescription>) | undefined;
  /** Does nothing if DynamoDB is already changing the table. */
  changeTable?: ((change: UpdateTableCommandInput) => Promise<void>) | undefined;
}

/** How `updateMany` writes: with statements, 25 per call, or with single UpdateItem calls. */
export type WayOfWriting = 'statements' | 'UpdateItem';

/** Access to every item of a table, or of a substitute such as an export. */
export interface ScanSource {
  /**
   * Eventually consistent by default. A partition's items are adjacent and in sort key order, but the partition may
   * continue on another page or in another segment.
   */
  scan(request: ScanRequest): Promise<ScanPage>;
}

/** Names one page of a segment. */
export interface ScanRequest {
  /** Counted from 0. */
  segment: number;
  segments: number;
  startKey?: Item;
  limit?: number;
  /** Consistent reads cost twice the capacity; not possible for an index. Default: false. */
  consistent?: boolean | undefined;
  /** Reads an index instead of the table, in no particular order. */
  index?: IndexName | undefined;
}

/** One page of a segment. */
export interface ScanPage {
  items: Item[];
  /** Absent at the end of the segment. */
  lastKey?: Item;
  rcu: number;
}

/** Options of `get`. */
export interface ReadOptions {
  /** Consistent reads cost twice the capacity. */
  consistent: boolean;
}

/** If less time is left than a wait between attempts takes, the call throws a retryable error at once. */
export interface BatchWaits extends Abortable {
  /** @internal */
  wait?: RuntimeOptions['wait'];
  /** @internal */
  random?: RuntimeOptions['random'];
  /** Returns the milliseconds left; called many times. Default: unlimited. */
  remainingMs?: RuntimeOptions['remainingMs'];
}

/** Options of `getMany`. */
export interface ReadManyOptions extends ReadOptions, BatchWaits {}

/** Options of `updateMany`. */
export interface UpdateManyOptions extends Abortable {
  /**
   * Returns the milliseconds left; called before each request. Unsent updates get the retryable error `no-time`.
   * Default: unlimited.
   */
  remainingMs?: RuntimeOptions['remainingMs'];
  /** The most calls at the same time. Default: 32. */
  concurrency?: number | undefined;
}

/** The result of `get`. */
export interface GetResult {
  item?: Item;
  rcu: number;
}

/** The result of `getMany`. */
export interface GetManyResult {
  items: (Item | undefined)[];
  rcu: number;
  calls: number;
}

/** The capacity of a write. */
export interface WriteResult {
  /** Includes the units of indexes. */
  wcu: number;
}

/** The result of `delete`. */
export interface DeleteResult extends WriteResult {
  /** False if the condition failed. */
  applied: boolean;
}

/** The result of `writeMany`. */
export interface WriteManyResult extends WriteResult {
  calls: number;
}

/** A put or a delete in a batch. */
export type BatchWrite = { put: Item } | { delete: ItemKey };

/**
 * A change to one derived item, which increments its revision. DynamoDB refuses more than one of `addElements`,
 * `deleteElements` and `setElements`.
 */
export interface DerivedUpdate {
  key: ItemKey;
  set: Item;
  unset: readonly string[];
  addElements?: readonly string[];
  deleteElements?: readonly string[];
  /** Must not be empty, because DynamoDB has no empty sets. */
  setElements?: readonly string[];
  /** Numbers to add, as decimal strings. An absent attribute counts as 0. */
  add?: Readonly<Record<string, string>>;
  /** Strings to add to sets. No list may be empty. */
  addTo?: Readonly<Record<string, readonly string[]>>;
  condition: UpdateCondition;
}

/** The condition of an update. */
export type UpdateCondition =
  | { kind: 'none' }
  /** The item must not exist, so that `updateMany` can insert it. */
  | { kind: 'absent' }
  /** The item's sets must contain these strings, by attribute. */
  | { kind: 'holding'; texts: Readonly<Record<string, readonly string[]>> }
  | RevisionCondition;

/** The item must have exactly this revision; if undefined, it must have none or be absent. */
export interface RevisionCondition {
  kind: 'revision';
  revision: string | undefined;
  /** The stored revision if it can't be incremented. An update then sets it to 1. */
  malformed?: AttributeValue | undefined;
  /** The tombstone's expiry: TTL may have deleted the tombstone, and a new item restarts the revisions. */
  expiry?: { attribute: string; value: AttributeValue } | undefined;
}

/** `current` is the item that failed the condition. */
export type UpdateResult = { applied: true; wcu: number } | { applied: false; wcu: number; current?: Item };

/**
 * `wcu` is the item's share of a call. With `isUnread`, the caller has to read the item. With an `error`, the write may
 * still have been made, unless DynamoDB has refused it.
 */
export type UpdateOutcome =
  | { applied: true; wcu: number }
  | { applied: false; wcu: number; current?: Item; isUnread?: true; error?: undefined }
  | { applied: false; error: StoreError };

/** The condition of a change to a base item. All parts must hold. */
export interface BaseCondition {
  /** True if the item must exist, false if it must not. */
  present?: boolean;
  equal?: Item;
  absent?: readonly string[];
  within?: readonly NumberRange[];
  /** The item must be absent, or claimed by this maker alone with a `~mirror.makers.<maker>.t` below `token`. */
  claimedBefore?: { maker: string; token: number };
  /**
   * An item counts as absent if this attribute (epoch seconds) isn't later than the given time. An update never changes
   * such an item.
   */
  over?: { attribute: string; atSeconds: string };
}

/** An attribute that must be a number from `low` to `high`, inclusive. With `orAbsent`, it may also be absent. */
export interface NumberRange {
  attribute: string;
  low: string;
  high: string;
  orAbsent: boolean;
}

/** A put, deletion or look also applies to an item that has ended, unless its condition requires an item. */
export function appliesToOver({ kind }: Pick<BaseChange, 'kind'>, { present, equal = {} }: BaseCondition): boolean {
  return kind !== 'update' && present !== true && Object.keys(equal).length === 0;
}

/** Changes to a base item's attributes, each named at most once. A missing item is created. */
export interface AttributeChanges {
  set?: Item;
  remove?: readonly string[];
  /** Numbers to add. An absent attribute counts as 0. */
  add?: Readonly<Record<string, string>>;
  addTo?: Item;
  /** Entries to delete from sets. A set that becomes empty is removed. */
  deleteFrom?: Item;
}

/** A change to one base item. `look` only checks a condition, in a transaction. */
export type BaseChange = { key: ItemKey; condition?: BaseCondition } & (
  | { kind: 'put'; item: Item }
  | { kind: 'update'; changes: AttributeChanges }
  | { kind: 'delete' }
  | { kind: 'look' }
);

/** `item` is the item after a put or an update; `current` is the item that failed the condition. */
export type ChangeResult =
  | { applied: true; wcu: number; item?: Item }
  | { applied: false; wcu: number; current?: Item };

/** `failed` has the places of the changes whose conditions failed, with the current items. */
export type ChangeAllResult =
  | { applied: true; wcu: number }
  | { applied: false; wcu: number; failed: readonly { place: number; current?: Item }[] };

/** DynamoDB's limit on items per transaction. */
export const TRANSACTION_ITEMS = 100;

/** If a condition failed, nothing was applied. */
export interface TransactResult extends WriteResult {
  applied: boolean;
}

/** A range of sort keys, inclusive at both ends. */
export interface SortKeyRange {
  from?: string;
  to?: string;
}

/** A query of one partition, in key order. */
export interface QueryRequest {
  index?: IndexName;
  partition: string;
  sortKey?: { beginsWith: string } | SortKeyRange;
  reverse?: boolean;
  /** A filter on the map `attributes`. Other items are billed, but not returned. */
  where?: Filter;
  /** Only items with these keys in the table are returned. */
  itemKeys?: ItemKeys;
  /** The most items to read, before filtering. */
  limit?: number;
  /** Where to continue; for an index, its key and the table's. */
  startKey?: Item;
  /** Not possible for an index. */
  consistent?: boolean;
  countOnly?: boolean;
}

/** A query of one partition of a native index, in key order. */
export interface NativeQueryRequest {
  index: NativeIndex;
  partition: AttributeValue;
  /** The range is inclusive at both ends. */
  from?: AttributeValue;
  to?: AttributeValue;
  reverse?: boolean;
  limit?: number;
  /** Where to continue: the index's key and the table's. */
  startKey?: Item;
}

/** One page of a query. */
export interface QueryResult {
  items: Item[];
  count: number;
  /** Includes items that a filter left out. */
  scanned: number;
  /** Absent on the last page. */
  lastKey?: Item;
  rcu: number;
}
