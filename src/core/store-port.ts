import type { StoreError } from '../foundation/errors.ts';
import type { Abortable, RuntimeOptions } from '../foundation/runtime.ts';
import type { AttributeValue, Item } from './items/attribute-value.ts';
import type { Filter } from './items/filter.ts';
import type { IndexName } from './model/compiled.ts';
import type { NativeIndex } from './model/native-indexes.ts';
import type { ItemKeys } from './model/projection/index-places.ts';

/**
 * The only access to the table. `store/dynamodb.ts` uses DynamoDB, `test/support/memory-store` is an in-memory
 * implementation for the simulator. The tests in `test/contract` run against both and against two engines.
 *
 * Every call throws a `StoreError`, classified as retryable, terminal or fatal, and only retries the unprocessed rest
 * of a batch call.
 */
export interface Store {
  /** Reads one item. */
  get(key: ItemKey, options: ReadOptions): Promise<GetResult>;
  /** Reads many items in the order of `keys`, in chunks of 100; an absent item is undefined. */
  getMany(keys: readonly ItemKey[], options: ReadManyOptions): Promise<GetManyResult>;
  /** Changes one derived item under a condition, in one call. */
  update(update: DerivedUpdate): Promise<UpdateResult>;
  /**
   * Changes many derived items, each under its own condition. Returns an outcome for each, in the order of `updates`.
   * Refuses (terminal) updates that name an item twice.
   *
   * An item's failure is its outcome and doesn't affect others. A failure common to all (`no-connection`, or a fatal
   * one such as missing rights) ends the call, and items that were not sent carry that error as well. It is thrown if
   * no item has another answer.
   */
  updateMany(updates: readonly DerivedUpdate[], options?: UpdateManyOptions): Promise<readonly UpdateOutcome[]>;
  /**
   * Changes several derived items, all or none, at twice the capacity; at most `TRANSACTION_ITEMS`, each named once. A
   * conflict with another transaction is retryable.
   */
  transact(updates: readonly DerivedUpdate[]): Promise<TransactResult>;
  /** Puts a whole item. */
  put(item: Item): Promise<WriteResult>;
  /** Deletes an item, if it exists. With `unchanged`, only if it has exactly this revision. */
  delete(key: ItemKey, unchanged?: RevisionCondition): Promise<DeleteResult>;
  /** Puts and deletes many items, in chunks of 25. Each key at most once. */
  writeMany(writes: readonly BatchWrite[], waits?: BatchWaits): Promise<WriteManyResult>;
  /**
   * Changes one base item under a condition, in one call and one attempt: a lost answer isn't repeated, since the
   * change may have been made. `isRefusal` tells errors after which it certainly wasn't.
   */
  change(change: BaseChange): Promise<ChangeResult>;
  /**
   * Changes several base items, all or none, at twice the capacity; at most `TRANSACTION_ITEMS`, each named once. A
   * token makes the change once within ten minutes, however often it is sent.
   */
  changeAll(changes: readonly BaseChange[], token: string): Promise<ChangeAllResult>;
  /** One page of a partition of the table or of an index. */
  query(request: QueryRequest): Promise<QueryResult>;
  /** One page of a partition of a native index: base items, with the attributes that the index holds. */
  queryNative(request: NativeQueryRequest): Promise<QueryResult>;
  /** The table's region; undefined or absent if unknown. */
  region?(): Promise<string | undefined>;
  /** The key attributes' types of the table and its indexes; undefined or absent if unknown. */
  keyTypes?(): Promise<KeyTypes | undefined>;
  /** How `updateMany` writes items that were read, learned from answers; undefined or absent if unknown. */
  writesBy?(): Promise<WayOfWriting | undefined>;
  /** The table's own clock, in milliseconds since 1970; undefined or absent if unknown. */
  serverTime?(): Promise<number | undefined>;
}

/** How known items are written: by statements, 25 per call, or by single UpdateItem calls. */
export type WayOfWriting = 'statements' | 'UpdateItem';

/** Types of key attributes by their names in the table: `S`, `N` or `B`. */
export type KeyTypes = ReadonlyMap<string, string>;

/** Access to every item of a table, or of a substitute such as an export. */
export interface ScanSource {
  /**
   * One page of a segment, eventually consistent. A partition's items come together, in sort key order, but may be
   * spread over two pages or segments.
   */
  scan(request: ScanRequest): Promise<ScanPage>;
}

/** Which page of which part. */
export interface ScanRequest {
  /** 0 to `segments - 1`. */
  segment: number;
  /** Number of parts that the table is read in. */
  segments: number;
  /** Start after this key. */
  startKey?: Item;
  /** At most this many items. */
  limit?: number;
  /** Strongly consistent, at twice the capacity. Default false. DynamoDB refuses it for an index. */
  consistent?: boolean | undefined;
  /** Reads this index, in no particular order. Default: the table. */
  index?: IndexName | undefined;
}

/** One page of a segment. */
export interface ScanPage {
  items: Item[];
  /** Where the next page starts; absent at the end of the segment. */
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
  /** Strongly consistent: twice the capacity. */
  consistent: boolean;
}

/**
 * How a batch call waits before it repeats an unprocessed rest. If less time is left than the wait takes, it throws at
 * once, as retryable.
 */
export interface BatchWaits extends Abortable {
  /** @internal */
  wait?: RuntimeOptions['wait'];
  /** @internal */
  random?: RuntimeOptions['random'];
  /** Milliseconds left; called many times. At 0 the run stops where it can continue later. Default: unlimited. */
  remainingMs?: RuntimeOptions['remainingMs'];
}

/** How to read many items. */
export interface ReadManyOptions extends ReadOptions, BatchWaits {}

/** How to change many items. */
export interface UpdateManyOptions extends Abortable {
  /**
   * Milliseconds in which calls may still be sent; asked before each. Items not sent get the retryable error `no-time`.
   * Default: unlimited.
   */
  remainingMs?: RuntimeOptions['remainingMs'];
  /** Calls in flight at once, at least 1. Default 32. */
  concurrency?: number | undefined;
}

/** The result of `get`. */
export interface GetResult {
  item?: Item;
  /** Read capacity units consumed. */
  rcu: number;
}

/** The result of `getMany`. */
export interface GetManyResult {
  items: (Item | undefined)[];
  rcu: number;
  /** DynamoDB calls made. */
  calls: number;
}

/** The capacity of a write. */
export interface WriteResult {
  /** Write capacity units consumed, including those of indexes. */
  wcu: number;
}

/** The result of `delete`. */
export interface DeleteResult extends WriteResult {
  /** False if the condition failed; the item is still there. */
  applied: boolean;
}

/** The capacity of `writeMany`. */
export interface WriteManyResult extends WriteResult {
  calls: number;
}

/** A put or a delete in a batch. */
export type BatchWrite = { put: Item } | { delete: ItemKey };

/**
 * A change of one derived item. Every update also increments the revision `r`. Use at most one of the three ways to
 * change the edge set: DynamoDB refuses two for one attribute.
 */
export interface DerivedUpdate {
  key: ItemKey;
  /** Attributes to set. */
  set: Item;
  /** Attributes to remove. */
  unset: readonly string[];
  /** Elements to add to the edge set. */
  addElements?: readonly string[];
  /** Elements to delete from the edge set. */
  deleteElements?: readonly string[];
  /** The new elements of the edge set; not empty. */
  setElements?: readonly string[];
  /** Numbers to add to attributes, as decimal text; an absent attribute counts as 0. */
  add?: Readonly<Record<string, string>>;
  /** Texts to add to string sets, by attribute; no list may be empty. */
  addTo?: Readonly<Record<string, readonly string[]>>;
  condition: UpdateCondition;
}

/** When an update may be made. */
export type UpdateCondition =
  | { kind: 'none' }
  /** There is no item. If the caller has read this, `updateMany` can insert the item. */
  | { kind: 'absent' }
  /** The item has sets with these texts, by attribute. */
  | { kind: 'holding'; texts: Readonly<Record<string, readonly string[]>> }
  | RevisionCondition;

/** The item has exactly this revision; undefined: none, or no item. */
export interface RevisionCondition {
  kind: 'revision';
  revision: string | undefined;
  /** The revision's value where it is not a number. An update then starts the count again. */
  malformed?: AttributeValue | undefined;
  /**
   * The expiry that a tombstone had when read, with its attribute. TTL may have deleted it, and an item made in its
   * place restarts its revisions.
   */
  expiry?: { attribute: string; value: AttributeValue } | undefined;
}

/** `current` is the item that failed the condition (absent if there is none). */
export type UpdateResult = { applied: true; wcu: number } | { applied: false; wcu: number; current?: Item };

/**
 * The outcome for one item. If a call reports the units of several items together, `wcu` is this item's share.
 * `current` is the item that failed its condition, absent if there is none; with `isUnread` DynamoDB didn't tell, so
 * the caller has to read it. A write with an `error` may have been made, unless `isRefusal`.
 */
export type UpdateOutcome =
  | { applied: true; wcu: number }
  | { applied: false; wcu: number; current?: Item; isUnread?: true; error?: undefined }
  | { applied: false; error: StoreError };

/** When a base item may be changed. All parts have to hold; an empty condition always does. */
export interface BaseCondition {
  /** True if the item has to exist, false if it must not. */
  present?: boolean;
  /** Required values of attributes. */
  equal?: Item;
  /** Attributes that have to be absent. */
  absent?: readonly string[];
  /**
   * The item is absent, or claimed by this maker alone, with a smaller token: the number `~mirror.makers.<maker>.t`.
   */
  claimedBefore?: { maker: string; token: number };
  /**
   * An item counts as absent if this attribute is a number of epoch seconds at or before that time. An update never
   * changes such an item, since it would keep ended content.
   */
  over?: { attribute: string; atSeconds: string };
}

/**
 * Whether the condition accepts an ended item: a put, deletion or look whose other conditions hold for an absent item.
 * Never for an update.
 */
export function appliesToOver({ kind }: Pick<BaseChange, 'kind'>, { present, equal = {} }: BaseCondition): boolean {
  return kind !== 'update' && present !== true && Object.keys(equal).length === 0;
}

/** Changes of a base item's attributes, each named once. A missing item is created. */
export interface AttributeChanges {
  set?: Item;
  remove?: readonly string[];
  /** Numbers to add to attributes; an absent attribute counts as 0. */
  add?: Readonly<Record<string, string>>;
  /** Elements to add to sets. */
  addTo?: Item;
  /** Elements to delete from sets; an empty set is removed. */
  deleteFrom?: Item;
}

/** A change of one base item: put, update, delete or, in a transaction, just a condition. */
export type BaseChange = { key: ItemKey; condition?: BaseCondition } & (
  | { kind: 'put'; item: Item }
  | { kind: 'update'; changes: AttributeChanges }
  | { kind: 'delete' }
  | { kind: 'look' }
);

/** The item after the change (absent after a delete), or the one that failed the condition. */
export type ChangeResult =
  | { applied: true; wcu: number; item?: Item }
  | { applied: false; wcu: number; current?: Item };

/** The indexes of the changes whose condition failed, with the current items. */
export type ChangeAllResult =
  | { applied: true; wcu: number }
  | { applied: false; wcu: number; failed: readonly { place: number; current?: Item }[] };

/** DynamoDB's limit of items in a transaction. */
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
  /** Absent: the table itself. */
  index?: IndexName;
  partition: string;
  /** Sort keys with this prefix or in this range; all if absent. */
  sortKey?: { beginsWith: string } | SortKeyRange;
  /** Descending. */
  reverse?: boolean;
  /** Only items whose map `attributes` passes. Others are read and billed, but not returned. */
  where?: Filter;
  /** With an index: only items with these keys in the table, filtered like `where`. */
  itemKeys?: ItemKeys;
  /** The most items to read, before filtering. */
  limit?: number;
  /** Start after this key (for an index: its key and the table's). */
  startKey?: Item;
  /** Only for the table: DynamoDB has no consistent reads of an index. */
  consistent?: boolean;
  /** Count without returning items. */
  countOnly?: boolean;
}

/** A query of one partition of a native index, in key order. */
export interface NativeQueryRequest {
  index: NativeIndex;
  partition: AttributeValue;
  /** Sort keys in this range, inclusive at both ends; all if absent. */
  from?: AttributeValue;
  to?: AttributeValue;
  /** Descending. */
  reverse?: boolean;
  /** The most items to read. */
  limit?: number;
  /** Start after this key: the index's and the table's. */
  startKey?: Item;
}

/** One page. */
export interface QueryResult {
  items: Item[];
  count: number;
  /** Items read, including filtered ones. */
  scanned: number;
  /** Where the next page starts; absent at the end. */
  lastKey?: Item;
  rcu: number;
}
