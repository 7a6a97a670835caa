import type { AttributeValue, Item } from '../../../core/items/attribute-value.ts';
import type { Filter } from '../../../core/items/filter.ts';
import type { IndexPartitionKey } from '../../../core/items/keys.ts';
import type { IndexName } from '../../../core/model/compiled.ts';
import type { NativeIndex } from '../../../core/model/native-indexes.ts';
import type { ItemKeys } from '../../../core/model/projection/index-places.ts';
import type { KeyRange } from '../request/key-range.ts';

/** A list of edges or search hits, with the partitions that store it now. */
export interface PlacedList {
  index: IndexName;
  partitions: readonly IndexPartitionKey[];
  range: KeyRange;
  reverse: boolean;
  where: Filter | undefined;
  /** Filter conditions that the reader evaluates itself: see `KeptValues`. */
  ofKept: Filter;
  maxRcu: number | undefined;
  /** Rejects items of other lists, which a partition may also hold, and those that `ofKept` excludes. */
  accept: (item: Item) => boolean;
  itemKeys: ItemKeys;
  native?: NativeList | undefined;
}

export interface NativeList {
  index: NativeIndex;
  /** Undefined if no item can have the requested value. */
  partition: AttributeValue | undefined;
  /** Both ends are inclusive. The range may be wider than requested. */
  from?: AttributeValue | undefined;
  to?: AttributeValue | undefined;
  /** The sort key that a row's index item would have if the list weren't native. */
  itemKey: string;
}
