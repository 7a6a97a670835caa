import type { Item } from '../items/attribute-value.ts';
import type { DerivedSortKey } from '../items/keys.ts';
import type { ItemKey } from '../store-port.ts';
import type { Share } from './parts/joined-items.ts';
import type { Problem } from './parts/subject.ts';

export interface Derived {
  /**
   * The edge's element in its source's view; absent if the view doesn't list the type, or if a label can't be derived.
   */
  element?: string;
  /**
   * The node's projected attributes; present if and only if the node exists, doesn't count as deleted, and its type
   * keeps views.
   */
  attributes?: Item;
  /** Expected fields of index items by sort key. Joined items are only included if the source node is given. */
  indexItems: ReadonlyMap<string, Item>;
  inTarget?: readonly InTarget[];
  problems: readonly Problem[];
  /** Problems that arise only from an edge and its source node together; absent if the node isn't given. */
  joint?: readonly Problem[];
}

/** `Derived` with index items as parallel lists, which avoids a map per image. */
export interface DerivedImage extends Omit<Derived, 'indexItems'> {
  keys: readonly DerivedSortKey[];
  /** Parallel to `keys`; undefined if the item should be absent. */
  fields: readonly (Item | undefined)[];
  /** The position of each key; absent if the keys are few, because they are searched faster without a map. */
  places?: ReadonlyMap<string, number>;
  shares?: readonly Share[];
}

export function fieldsOf({ keys, fields, places }: DerivedImage, sortKey: string): Item | undefined {
  const place = places === undefined ? (keys as readonly string[]).indexOf(sortKey) : places.get(sortKey);
  return place === undefined ? undefined : fields[place];
}

export function expectedFields({ indexItems, inTarget }: Derived, sortKey: string): Item | undefined {
  return indexItems.get(sortKey) ?? inTarget?.find(({ key }) => key.target === sortKey)?.fields;
}

export interface InTarget {
  key: ItemKey & { target: DerivedSortKey };
  fields: Item;
}
