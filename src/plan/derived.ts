import type { Item } from '../items/attribute-value.ts';
import type { ItemKey } from '../store/port.ts';
import type { Share } from './parts/joined-items.ts';
import type { Problem } from './parts/subject.ts';

/** What is derived from one base item image. */
export interface Derived {
  /** The edge's element in its source's view; absent where the type is left out of the set. */
  element?: string;
  /** The node's projected attributes; present exactly when the node is. */
  attributes?: Item;
  /** Wanted fields of index items, by sort key; those that the source node decides too only where that is given. */
  indexItems: ReadonlyMap<string, Item>;
  /** The reverse item that an edge with copies wants in its target's partition. */
  reverse?: ReverseItem;
  /** What could not be derived, and why. */
  problems: readonly Problem[];
  /** Those of the problems that an edge and its source node have only together; absent without the node. */
  joint?: readonly Problem[];
}

/** The same with the index items side by side: what units are made of, without a map for each image. */
export interface DerivedImage extends Omit<Derived, 'indexItems'> {
  /** Sort keys of index items, each once. */
  keys: readonly string[];
  /** Wanted fields of the index item of each key; undefined where there shall be none. */
  fields: readonly (Item | undefined)[];
  /**
   * Of index items whose generation has a beginning, in the places of their keys: records that were made before this moment,
   * in milliseconds since 1970, are settled by the base item.
   */
  settleBefore?: readonly (number | undefined)[];
  /** The place of each key, where there are many; a few are found faster by looking. */
  places?: ReadonlyMap<string, number>;
  /** What an edge gives to the index items that its source node decides with it; absent where there is no edge. */
  shares?: readonly Share[];
}

/** The fields that an image wants of the index item with a sort key. */
export function fieldsOf(image: DerivedImage, sortKey: string): Item | undefined {
  const place = placeOf(image, sortKey);
  return place < 0 ? undefined : image.fields[place];
}

/** The moment before which the base item decides about an image's index item with a sort key; undefined: it never does. */
export function settleBeforeOf(image: DerivedImage, sortKey: string): number | undefined {
  return image.settleBefore?.[placeOf(image, sortKey)];
}

function placeOf({ keys, places }: DerivedImage, sortKey: string): number {
  return places === undefined ? keys.indexOf(sortKey) : (places.get(sortKey) ?? -1);
}

/** The reverse item of an edge: where it is, and what it holds. */
export interface ReverseItem {
  key: ItemKey;
  fields: Item;
}
