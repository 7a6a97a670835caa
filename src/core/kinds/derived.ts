import type { Item } from '../items/attribute-value.ts';
import type { DerivedSortKey } from '../items/keys.ts';
import type { ItemKey } from '../store-port.ts';
import type { Share } from './parts/joined-items.ts';
import type { Problem } from './parts/subject.ts';

/** The items derived from one base item image. */
export interface Derived {
  /** The edge's element in its source's view; absent if the view does not list the type. */
  element?: string;
  /** The node's projected attributes; present exactly if the node is. */
  attributes?: Item;
  /** Expected fields of index items, by sort key. Joined ones are included only if the source node is given. */
  indexItems: ReadonlyMap<string, Item>;
  /** The items that an edge asks for in its target's partition; absent: none. */
  inTarget?: readonly InTarget[];
  /** The parts that could not be derived, with the reasons. */
  problems: readonly Problem[];
  /** The problems that an edge and its source node have only together; absent without the node. */
  joint?: readonly Problem[];
}

/** The same, with the index items as parallel lists: units are made of them, without a map for each image. */
export interface DerivedImage extends Omit<Derived, 'indexItems'> {
  /** Sort keys of index items, without duplicates. */
  keys: readonly DerivedSortKey[];
  /** Expected fields, parallel to `keys`; undefined if the item is to be absent. */
  fields: readonly (Item | undefined)[];
  /** The place of each key, if there are many keys; a search through a few is faster than a map. */
  places?: ReadonlyMap<string, number>;
  /** The shares that an edge gives to its joined index items; absent if there is no edge. */
  shares?: readonly Share[];
}

/** The fields that an image asks for in the index item with a sort key. */
export function fieldsOf(image: DerivedImage, sortKey: string): Item | undefined {
  const place = placeOfKey(image, sortKey);
  return place < 0 ? undefined : image.fields[place];
}

function placeOfKey({ keys, places }: DerivedImage, sortKey: string): number {
  return places === undefined ? (keys as readonly string[]).indexOf(sortKey) : (places.get(sortKey) ?? -1);
}

/** The fields that a base item asks for in a derived item, by that one's sort key; undefined: it asks for no such item. */
export function expectedFields({ indexItems, inTarget }: Derived, sortKey: string): Item | undefined {
  return indexItems.get(sortKey) ?? inTarget?.find(({ key }) => key.target === sortKey)?.fields;
}

/** An edge's item in its target's partition: its key and its fields. */
export interface InTarget {
  key: ItemKey & { target: DerivedSortKey };
  fields: Item;
}
