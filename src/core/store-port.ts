import type { StoreError } from '../foundation/errors.ts';
import type { Abortable, RuntimeOptions } from '../foundation/runtime.ts';
import type { AttributeValue, Item } from './items/attribute-value.ts';
import type { Filter } from './items/filter.ts';
import type { IndexName } from './model/compiled.ts';
import type { NativeIndex } from './model/native.ts';
import type { ItemKeys } from './model/projection/index-places.ts';

/**
 * The one way to the table. `store/dynamodb.ts` speaks to DynamoDB, and `test/support/memory-store` keeps the same contract in memory for
 * the simulator. One suite of tests, `test/contract`, runs against both and against two engines.
 *
 * Every call throws a `StoreError`, classified as retryable, terminal or fatal, and retries nothing by itself except
 * the unprocessed rest of a batch call.
 */
export interface Store {
  /** Reads one item. */
  get(key: ItemKey, options: ReadOptions): Promise<GetResult>;
  /** Reads many items in the order of `keys`, in chunks of 100; an absent item is undefined. */
  getMany(keys: readonly ItemKey[], options: ReadManyOptions): Promise<GetManyResult>;
  /** Changes one derived item under a condition, in one call. */
  update(update: DerivedUpdate): Promise<UpdateResult>;
  /**
   * Changes many derived items, each for itself under its own condition. Returns an outcome for each, in the order of `updates`. Refuses
   * (terminal) updates that name an item twice.
   *
   * A failure of one item is its outcome and leaves the others alone. A failure that every item would share (`no-connection`, and what is
   * fatal, such as missing rights) ends the call: the items that were not sent carry that error as well. The error is thrown if no
   * item has another answer.
   */
  updateMany(updates: readonly DerivedUpdate[], options?: UpdateManyOptions): Promise<readonly UpdateOutcome[]>;
  /**
   * Changes several derived items, all of them or none, at twice the capacity; at most `TRANSACTION_ITEMS`, each named
   * once. A conflict with another transaction is retryable.
   */
  transact(updates: readonly DerivedUpdate[]): Promise<TransactResult>;
  /** Puts one item whole. */
  put(item: Item): Promise<WriteResult>;
  /** Deletes one item; deleting an absent one is fine. With `unchanged`, only if the item has exactly this revision. */
  delete(key: ItemKey, unchanged?: RevisionCondition): Promise<DeleteResult>;
  /** Puts and deletes many items, in chunks of 25. Each key at most once. */
  writeMany(writes: readonly BatchWrite[], waits?: BatchWaits): Promise<WriteManyResult>;
  /**
   * Changes one base item under a condition, in one call and one attempt: an answer that is lost is not asked for again,
   * since the change may have been made. `isRefusal` tells errors after which it certainly was not.
   */
  change(change: BaseChange): Promise<ChangeResult>;
  /**
   * Changes several base items, all of them or none, at twice the capacity; at most `TRANSACTION_ITEMS`, each named once.
   * The same token within ten minutes does it once, however often it is sent.
   */
  changeAll(changes: readonly BaseChange[], token: string): Promise<ChangeAllResult>;
  /** One page of a partition of the table or of an index. */
  query(request: QueryRequest): Promise<QueryResult>;
  /** One page of a partition of a native index: base items, as far as the index holds them. */
  queryNative(request: NativeQueryRequest): Promise<QueryResult>;
  /** The region of the table that is read and written; undefined, or absent, where it has none. */
  region?(): Promise<string | undefined>;
  /** The types of the key attributes of the table and its indexes; undefined, or absent, where they are not known. */
  keyTypes?(): Promise<KeyTypes | undefined>;
  /** How `updateMany` writes items that were read, as the answers so far have told; undefined, or absent, where none has. */
  writesBy?(): Promise<WayOfWriting | undefined>;
  /** The table's own clock, in milliseconds since 1970, which no machine has set; undefined, or absent, where it does not tell. */
  serverTime?(): Promise<number | undefined>;
}

/** How known items are written: by statements, 25 in a call, or by an UpdateItem each. */
export type WayOfWriting = 'statements' | 'UpdateItem';

/** Types of key attributes by their names in the table: `S`, `N` or `B`. */
export type KeyTypes = ReadonlyMap<string, string>;

/** The way to every item of a table, or of a substitute such as an export. */
export interface ScanSource {
  /**
   * One page of a segment, eventually consistent. A partition's items come together, in the order of their sort keys,
   * but a partition may be spread over two pages, and over two segments.
   */
  scan(request: ScanRequest): Promise<ScanPage>;
}

/** Which page of which part. */
export interface ScanRequest {
  /** 0 to `segments - 1`. */
  segment: number;
  /** How many parts the table is read in. */
  segments: number;
  /** Start after this key. */
  startKey?: Item;
  /** At most this many items. */
  limit?: number;
  /** Strongly consistent: twice the capacity. Default false. DynamoDB refuses it for an index. */
  consistent?: boolean | undefined;
  /** Reads what is in this index, in no order that means anything. Default: the table. */
  index?: IndexName | undefined;
}

/** One page of a segment. */
export interface ScanPage {
  items: Item[];
  /** Where the next page starts; absent when nothing remains of the segment. */
  lastKey?: Item;
  rcu: number;
}

/** An item's key; the store knows the table's own names for the two. */
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
 * How a batch call waits before it sends an unprocessed rest again. Where less time is left than a wait takes, it throws at once, as
 * retryable.
 */
export interface BatchWaits extends Abortable {
  /** @internal */
  wait?: RuntimeOptions['wait'];
  /** @internal */
  random?: RuntimeOptions['random'];
  /** Milliseconds left; called many times. At 0 the run stops where it can go on later. Default: no end. */
  remainingMs?: RuntimeOptions['remainingMs'];
}

/** How to read many items. */
export interface ReadManyOptions extends ReadOptions, BatchWaits {}

/** How to change many items. */
export interface UpdateManyOptions extends Abortable {
  /** Milliseconds in which calls may still be sent; asked before each. Items without a call get the retryable error `no-time`. Default: no end. */
  remainingMs?: RuntimeOptions['remainingMs'];
  /** Calls in flight at once, 1 or more. Default 32. */
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
  /** Write capacity units consumed, those of indexes included. */
  wcu: number;
}

/** The result of `delete`. */
export interface DeleteResult extends WriteResult {
  /** False where the item was not as the condition has it; then it is still there. */
  applied: boolean;
}

/** The capacity of `writeMany`. */
export interface WriteManyResult extends WriteResult {
  calls: number;
}

/** A put or a delete in a batch. */
export type BatchWrite = { put: Item } | { delete: ItemKey };

/**
 * A change of one derived item. Besides what it names, every update counts the item's revision `r` up by one.
 * At most one of the three ways to change the edge set may be given: DynamoDB refuses two for one attribute.
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
  /** Texts to add to string sets, by attribute; none of the lists is empty. */
  addTo?: Readonly<Record<string, readonly string[]>>;
  condition: UpdateCondition;
}

/** When an update may be made. */
export type UpdateCondition =
  /** Always. */
  | { kind: 'none' }
  /** There is no item. Where the caller has read this, `updateMany` can insert the item. */
  | { kind: 'absent' }
  /** The item has sets with these texts, by attribute. */
  | { kind: 'holding'; texts: Readonly<Record<string, readonly string[]>> }
  | RevisionCondition;

/** The item has exactly this revision; undefined: it has none, or there is no item. */
export interface RevisionCondition {
  kind: 'revision';
  revision: string | undefined;
  /** The revision's value where it is not a number. An update then starts the count again. */
  malformed?: AttributeValue | undefined;
  /**
   * The expiry that was seen of a tombstone, with its attribute. TTL may have deleted it since, and what was made in its place
   * counts its revisions from the beginning.
   */
  expiry?: { attribute: string; value: AttributeValue } | undefined;
}

/** The result of `update`: `current` is the item that failed the condition (absent where there is none). */
export type UpdateResult = { applied: true; wcu: number } | { applied: false; wcu: number; current?: Item };

/**
 * What `updateMany` did with one item. Where a call tells the units of several items together, `wcu` is this one's share. An item that failed its condition is in `current`, which is absent where there is no item; with
 * `isUnread` DynamoDB did not tell, so the caller has to read the item. An `error` may be of a write that was made, unless `isRefusal` says otherwise.
 */
export type UpdateOutcome =
  | { applied: true; wcu: number }
  | { applied: false; wcu: number; current?: Item; isUnread?: true; error?: undefined }
  | { applied: false; error: StoreError };

/** When a base item may be changed. All parts have to hold; without any, always. */
export interface BaseCondition {
  /** True if the item has to be there, or has to be absent. */
  present?: boolean;
  /** Attributes that have to have exactly these values. */
  equal?: Item;
  /** Attributes that have to be absent. */
  absent?: readonly string[];
  /** The item is absent, or claimed by this maker alone, with a smaller token: the number `~mirror.makers.<maker>.t`. */
  claimedBefore?: { maker: string; token: number };
  /**
   * An item counts as absent if this attribute is a number of epoch seconds, at or before that time. An update never changes such an
   * item: it would keep what is over.
   */
  over?: { attribute: string; atSeconds: string };
}

/**
 * Tells whether the change of an item that is over may be made: a put, a deletion or a look whose other conditions hold for an absent
 * item. An update may not.
 */
export function appliesToOver({ kind }: Pick<BaseChange, 'kind'>, { present, equal = {} }: BaseCondition): boolean {
  return kind !== 'update' && present !== true && Object.keys(equal).length === 0;
}

/** Changes of a base item's attributes. Each attribute is named once; an absent item is made. */
export interface AttributeChanges {
  set?: Item;
  remove?: readonly string[];
  /** Numbers to add to attributes, which count as 0 where they are absent. */
  add?: Readonly<Record<string, string>>;
  /** Sets whose elements are added. */
  addTo?: Item;
  /** Sets whose elements are deleted; a set that loses its last one is gone. */
  deleteFrom?: Item;
}

/** A change of one base item: put whole, updated, deleted, or in a transaction only looked at. */
export type BaseChange = { key: ItemKey; condition?: BaseCondition } & (
  | { kind: 'put'; item: Item }
  | { kind: 'update'; changes: AttributeChanges }
  | { kind: 'delete' }
  | { kind: 'look' }
);

/** The result of `change`: the item as it is now (absent after a delete), or the one that failed the condition. */
export type ChangeResult =
  | { applied: true; wcu: number; item?: Item }
  | { applied: false; wcu: number; current?: Item };

/** The result of `changeAll`: the places of the changes whose condition failed, with the present items. */
export type ChangeAllResult =
  | { applied: true; wcu: number }
  | { applied: false; wcu: number; failed: readonly { place: number; current?: Item }[] };

/** Items that a transaction may hold. */
export const TRANSACTION_ITEMS = 100;

/** The result of `transact`: everything was applied, or, since a condition failed, nothing. */
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
  /** The index; the table itself where absent. */
  index?: IndexName;
  partition: string;
  /** Sort keys that begin with this, or lie in this range; all of them where absent. */
  sortKey?: { beginsWith: string } | SortKeyRange;
  /** Descending. */
  reverse?: boolean;
  /** Only items whose map `attributes` passes. The other items are read and paid for, and do not come back. */
  where?: Filter;
  /** With an index: only items with these keys in the table, as with `where`. */
  itemKeys?: ItemKeys;
  /** The most items to read, filtered out or not. */
  limit?: number;
  /** Start after this key (of an index: the index's key and the table's). */
  startKey?: Item;
  /** Only for the table: DynamoDB has no consistent reads of an index. */
  consistent?: boolean;
  /** Count only; no items come back. */
  countOnly?: boolean;
}

/** A query of one partition of a native index, in key order. */
export interface NativeQueryRequest {
  index: NativeIndex;
  partition: AttributeValue;
  /** Sort keys of this range, inclusive at both ends; all of them where absent. */
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
  /** Items that were read, those that `where` and `itemKeys` leave out included. */
  scanned: number;
  /** Where the next page starts; absent when nothing remains. */
  lastKey?: Item;
  rcu: number;
}
