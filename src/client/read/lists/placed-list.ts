import type { AttributeValue, Item } from '../../../core/items/attribute-value.ts';
import type { Filter } from '../../../core/items/filter.ts';
import type { IndexPartitionKey } from '../../../core/items/keys.ts';
import type { IndexName } from '../../../core/model/compiled.ts';
import type { NativeIndex } from '../../../core/model/native-indexes.ts';
import type { ItemKeys } from '../../../core/model/projection/index-places.ts';
import type { KeyRange } from '../request/key-range.ts';

/** A list of edges or hits at the places where it is stored now. */
export interface PlacedList {
  index: IndexName;
  partitions: readonly IndexPartitionKey[];
  range: KeyRange;
  reverse: boolean;
  where: Filter | undefined;
  /** Conditions of the filter that the reader evaluates: see `ListFilter`. */
  ofKept: Filter;
  maxRcu: number | undefined;
  /** A partition may hold items of other lists. */
  accept: (item: Item) => boolean;
  itemKeys: ItemKeys;
  native?: NativeList | undefined;
}

export interface NativeList {
  index: NativeIndex;
  /** Undefined: no item can have the requested value. */
  partition: AttributeValue | undefined;
  /** Both ends inclusive; possibly wider than requested. */
  from?: AttributeValue | undefined;
  to?: AttributeValue | undefined;
  /** The sort key of the item that the projector would have derived from a row. */
  itemKey: string;
}
