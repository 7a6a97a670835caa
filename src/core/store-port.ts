import type { TableDescription, UpdateTableCommandInput } from '@aws-sdk/client-dynamodb';
import type { StoreError } from '../foundation/errors.ts';
import type { Abortable, RuntimeOptions } from '../foundation/runtime.ts';
import type { AttributeValue, Item } from './items/attribute-value.ts';
import type { Filter } from './items/filter.ts';
import type { IndexName } from './model/compiled.ts';
import type { NativeIndex } from './model/native-indexes.ts';
import type { ItemKeys } from './model/projection/index-places.ts';

/** The only access to the table. Every call throws a `StoreError`, and only retries the unprocessed rest of a batch. */
export interface Store {
  get(key: ItemKey, options: ReadOptions): Promise<GetResult>;
  /** In the order of `keys`; an absent item is undefined. */
  getMany(keys: readonly ItemKey[], options: ReadManyOptions): Promise<GetManyResult>;
  update(update: DerivedUpdate): Promise<UpdateResult>;
  /**
   * Each under its own condition; an outcome for each, in the order of `updates`. A failure common to all
   * (`no-connection`, or a fatal one) ends the call; items not sent carry it too, and it is thrown if no item has
   * another answer.
   */
  updateMany(updates: readonly DerivedUpdate[], options?: UpdateManyOptions): Promise<readonly UpdateOutcome[]>;
  /** All or none, at twice the capacity; at most `TRANSACTION_ITEMS`, each once. A conflict is retryable. */
  transact(updates: readonly DerivedUpdate[]): Promise<TransactResult>;
  put(item: Item): Promise<WriteResult>;
  /** With `unchanged`, only at exactly this revision. */
  delete(key: ItemKey, unchanged?: RevisionCondition): Promise<DeleteResult>;
  /** Each key at most once. */
  writeMany(writes: readonly BatchWrite[], waits?: BatchWaits): Promise<WriteManyResult>;
  /** One attempt: after a lost answer the change may have been made, unless `isRefusal`. */
  change(change: BaseChange): Promise<ChangeResult>;
  /** All or none; at most `TRANSACTION_ITEMS`, each once. A token makes the change once within ten minutes. */
  changeAll(changes: readonly BaseChange[], token: string): Promise<ChangeAllResult>;
  query(request: QueryRequest): Promise<QueryResult>;
  /** Base items, with the attributes that the index holds. */
  queryNative(request: NativeQueryRequest): Promise<QueryResult>;
  region?(): Promise<string | undefined>;
  /** Learned from answers. */
  writesBy?(): Promise<WayOfWriting | undefined>;
  /** In milliseconds since 1970. */
  serverTime?(): Promise<number | undefined>;
  /** Absent, like `changeTable`, if the store has no indexes to change. */
  describe?(): Promise<TableDescription>;
  /** Does nothing if DynamoDB is changing the table. */
  changeTable?(change: UpdateTableCommandInput): Promise<void>;
}

/** By statements, 25 per call, or by single UpdateItem calls. */
export type WayOfWriting = 'statements' | 'UpdateItem';

/** Access to every item of a table, or of a substitute such as an export. */
export interface ScanSource {
  /**
   * Eventually consistent. A partition's items come together, in sort key order, but may be spread over two pages or
   * segments.
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
  /** At twice the capacity; not of an index. Default false. */
  consistent?: boolean | undefined;
  /** An index is read in no particular order. */
  index?: IndexName | undefined;
}

/** One page of a segment. */
export interface ScanPage {
  items: Item[];
  /** Absent at the end of the segment. */
  lastKey?: Item;
  rcu: number;
}

/** An item's key; the store maps it to the table's own names. */
export interface ItemKey {
  source: string;
  target: string;
}

/** How to read. */
export interface ReadOptions {
  /** At twice the capacity. */
  consistent: boolean;
}

/** If less time is left than a wait takes, the call throws at once, as retryable. */
export interface BatchWaits extends Abortable {
  /** @internal */
  wait?: RuntimeOptions['wait'];
  /** @internal */
  random?: RuntimeOptions['random'];
  /** Milliseconds left; called many times. Default: unlimited. */
  remainingMs?: RuntimeOptions['remainingMs'];
}

/** How to read many items. */
export interface ReadManyOptions extends ReadOptions, BatchWaits {}

/** How to change many items. */
export interface UpdateManyOptions extends Abortable {
  /** Asked before each call. Items not sent get the retryable error `no-time`. Default: unlimited. */
  remainingMs?: RuntimeOptions['remainingMs'];
  /** Default 32. */
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

/** The capacity of `writeMany`. */
export interface WriteManyResult extends WriteResult {
  calls: number;
}

/** A put or a delete in a batch. */
export type BatchWrite = { put: Item } | { delete: ItemKey };

/**
 * A change of one derived item, which increments the revision. One of the three ways to change the edge set: DynamoDB
 * refuses two.
 */
export interface DerivedUpdate {
  key: ItemKey;
  set: Item;
  unset: readonly string[];
  addElements?: readonly string[];
  deleteElements?: readonly string[];
  /** The list may not be empty. */
  setElements?: readonly string[];
  /** Decimal text; an absent attribute counts as 0. */
  add?: Readonly<Record<string, string>>;
  /** No list may be empty. */
  addTo?: Readonly<Record<string, readonly string[]>>;
  condition: UpdateCondition;
}

/** When an update may be made. */
export type UpdateCondition =
  | { kind: 'none' }
  /** `updateMany` can insert the item. */
  | { kind: 'absent' }
  /** Sets with these texts, by attribute. */
  | { kind: 'holding'; texts: Readonly<Record<string, readonly string[]>> }
  | RevisionCondition;

/** Exactly this revision; undefined: none, or no item. */
export interface RevisionCondition {
  kind: 'revision';
  revision: string | undefined;
  /** The revision's value where it is not a number; an update starts again. */
  malformed?: AttributeValue | undefined;
  /** TTL may have deleted the tombstone, and an item in its place restarts its revisions. */
  expiry?: { attribute: string; value: AttributeValue } | undefined;
}

/** `current` is the item that failed the condition. */
export type UpdateResult = { applied: true; wcu: number } | { applied: false; wcu: number; current?: Item };

/**
 * `wcu` is the item's share of a call. With `isUnread` the caller has to read the item. A write with an `error` may
 * have been made, unless `isRefusal`.
 */
export type UpdateOutcome =
  | { applied: true; wcu: number }
  | { applied: false; wcu: number; current?: Item; isUnread?: true; error?: undefined }
  | { applied: false; error: StoreError };

/** When a base item may be changed: all parts have to hold. */
export interface BaseCondition {
  /** Whether the item has to exist. */
  present?: boolean;
  equal?: Item;
  absent?: readonly string[];
  /** The item is absent, or claimed by this maker alone with a smaller `~mirror.makers.<maker>.t`. */
  claimedBefore?: { maker: string; token: number };
  /**
   * An item counts as absent if this attribute (epoch seconds) is at or before the time. An update never changes such
   * an item.
   */
  over?: { attribute: string; atSeconds: string };
}

/** A put, deletion or look whose conditions hold for an absent item. */
export function appliesToOver({ kind }: Pick<BaseChange, 'kind'>, { present, equal = {} }: BaseCondition): boolean {
  return kind !== 'update' && present !== true && Object.keys(equal).length === 0;
}

/** Changes of a base item's attributes, each named once. A missing item is created. */
export interface AttributeChanges {
  set?: Item;
  remove?: readonly string[];
  /** An absent attribute counts as 0. */
  add?: Readonly<Record<string, string>>;
  addTo?: Item;
  /** An empty set is removed. */
  deleteFrom?: Item;
}

/** A change of one base item; `look` is just a condition, in a transaction. */
export type BaseChange = { key: ItemKey; condition?: BaseCondition } & (
  | { kind: 'put'; item: Item }
  | { kind: 'update'; changes: AttributeChanges }
  | { kind: 'delete' }
  | { kind: 'look' }
);

/** The item after the change, or the one that failed the condition. */
export type ChangeResult =
  | { applied: true; wcu: number; item?: Item }
  | { applied: false; wcu: number; current?: Item };

/** The places of the changes whose condition failed, with the current items. */
export type ChangeAllResult =
  | { applied: true; wcu: number }
  | { applied: false; wcu: number; failed: readonly { place: number; current?: Item }[] };

/** DynamoDB's limit. */
export const TRANSACTION_ITEMS = 100;

/** Everything was applied, or nothing, since a condition failed. */
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
  /** Of the map `attributes`. Others are billed, but not returned. */
  where?: Filter;
  /** Only items with these keys in the table. */
  itemKeys?: ItemKeys;
  /** Counts items before filtering. */
  limit?: number;
  /** For an index: its key and the table's. */
  startKey?: Item;
  /** An index has no consistent reads. */
  consistent?: boolean;
  countOnly?: boolean;
}

/** A query of one partition of a native index, in key order. */
export interface NativeQueryRequest {
  index: NativeIndex;
  partition: AttributeValue;
  /** Inclusive at both ends. */
  from?: AttributeValue;
  to?: AttributeValue;
  reverse?: boolean;
  limit?: number;
  /** The index's key and the table's. */
  startKey?: Item;
}

/** One page. */
export interface QueryResult {
  items: Item[];
  count: number;
  /** Includes filtered items. */
  scanned: number;
  /** Absent at the end. */
  lastKey?: Item;
  rcu: number;
}
