import { generationPrefix } from './generation.ts';
import { type DerivedSortKey, hash128, isWithinBytes, SORT_KEY_BYTES, VIEW_KEY } from './keys.ts';

/**
 * The forms of derived sort keys, one function for each. Only the codec (derived-key.ts) and the factory of places
 * (core/model/projection) import them: whoever else needs a key has it from the places of a projection.
 */

/** The beginning of the sort keys of index items. */
export const INDEX_PREFIX = '~ix/';
/** The beginning of the sort keys of target items; the name is that of an option, which no order can have. */
export const TARGET_ITEM_PREFIX = '~ix/#includeTarget/';
/** The beginning of the sort keys of counts of edges. */
export const DEGREE_PREFIX = '~degree/';
/** The beginning of the sort keys of totals of the edges that enter a node. */
export const TOTAL_PREFIX = '~total/';
/**
 * The kinds of items that edges have in the partitions of their targets, with the beginnings of their sort keys: reverse items, and entries
 * in totals. The edge type and the edge's source follow.
 */
export const IN_TARGET_PREFIXES = { 'reverse-item': '~rev/', 'total-entry': '~in/' } as const;
/** A kind of items that edges have in the partitions of their targets. */
export type KindInTarget = keyof typeof IN_TARGET_PREFIXES;
/** The sort keys of records with which the fan-out tells itself to go on begin so. */
export const CONTINUATION_PREFIX = '~more/';
/** The beginning of the sort keys of continuations that bring a node's change to its outgoing edges' index items. */
export const SOURCE_CONTINUATION_PREFIX = `${CONTINUATION_PREFIX}#source/`;
/** The beginning of the sort keys of quarantine entries. */
export const QUARANTINE_PREFIX = '~quarantine/';
/** The beginning of the sort keys of the views of nodes' parts. */
export const PART_VIEW_PREFIX = `${VIEW_KEY}/`;
/** The sort key of a search item of a part; no order begins with a capital letter, and no hash has a `/` behind it. */
export const PART_SEARCH_KEY = /^~ix\/#([A-Z][A-Z0-9_]*)\//;
/** An index item's sort key with the name of an order. */
export const ORDER_KEY = /^~ix\/#([a-z][A-Za-z0-9_]*)\//;

/** Percent-encodes what would be ambiguous in the name part of a search item's sort key. */
function escapeName(name: string): string {
  return name.replace(
    /[%/#@-]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

/** The name of a search, by the part of a sort key that it is escaped in; undefined where no name has this form. */
export function unescapeSearchName(escaped: string): string | undefined {
  const name = escaped.replace(/%([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return escapeName(name) === escaped ? name : undefined;
}

/**
 * The sort key of an edge's index item, or with an order's name of the item that the order has for itself:
 * `~ix/#byPriority/GOALMEMBERSHIP-USER-U1`. Edges whose own sort key leaves no room are named by its hash.
 */
export function edgeIndexKey(baseSortKey: string, orderName?: string, generation = 1): DerivedSortKey {
  return fittingKey(edgeIndexPrefix(orderName, generation), baseSortKey);
}

/** The beginning of the sort keys of edges' index items: see `fittingKey`. */
export function edgeIndexPrefix(orderName: string | undefined, generation = 1): string {
  return orderName === undefined ? generationPrefix(INDEX_PREFIX, generation) : orderKeyPrefix(orderName, generation);
}

/**
 * The beginning of the sort keys of a named order's index items. Neither the names of searches nor edges' sort keys begin
 * with `#`, and the hash of a sort key has no `/` behind it.
 */
export function orderKeyPrefix(orderName: string, generation = 1): string {
  return `${generationPrefix(INDEX_PREFIX, generation)}#${orderName}/`;
}

/** The beginning of the sort keys of index items that are named by a hash of their edge's, or belong to a named order. */
export function hashedOrNamedIndexPrefix(generation = 1): string {
  return `${generationPrefix(INDEX_PREFIX, generation)}#`;
}

/**
 * The sort key of a node's index item among its incoming edges of a type, or with an order's name among those in that
 * order: `~ix/#includeTarget/TICKET`, `~ix/#includeTarget/TICKET/byPriority`.
 */
export function targetItemKey(edgeType: string, orderName?: string, generation = 1): DerivedSortKey {
  const prefix = generationPrefix(INDEX_PREFIX, generation) + TARGET_ITEM_PREFIX.slice(INDEX_PREFIX.length);
  return fittingKey(prefix, orderName === undefined ? edgeType : `${edgeType}/${orderName}`);
}

/**
 * The sort key of the count of a node's edges of a type: `~degree/FOLLOWS`, of a later generation `~degree/@2/FOLLOWS`.
 *
 * @param countName what `countNameOf` gives.
 */
export function degreeKey(countName: string): DerivedSortKey {
  return (DEGREE_PREFIX + countName) as DerivedSortKey;
}

/** The name of a count: the edge type, of a later generation behind its mark: `@2/FOLLOWS`. Counted items hold it. */
export function countNameOf(edgeType: string, generation = 1): string {
  return generationPrefix('', generation) + edgeType;
}

/** The sort key of the total of the edges of a type that enter a node: `~total/WORKED_ON`, of a later generation `~total/@2/WORKED_ON`. */
export function totalKey(edgeType: string, generation = 1): DerivedSortKey {
  return (TOTAL_PREFIX + countNameOf(edgeType, generation)) as DerivedSortKey;
}

/** The beginning of the sort keys of a kind's items in the targets of an edge type: `~rev/WROTE-`, of a later generation `~in/@2/WORKED_ON-`. */
export function inTargetPrefix(kind: KindInTarget, edgeType: string, generation = 1): string {
  return `${generationPrefix(IN_TARGET_PREFIXES[kind], generation)}${edgeType}-`;
}

/** The sort key of an edge's reverse item in its target's partition: `~rev/WROTE-BOOK-1`, hashed when too long. */
export function reverseKey(edgeType: string, source: string): DerivedSortKey {
  return fittingKey(inTargetPrefix('reverse-item', edgeType), source);
}

/** The sort key of the continuation of a fan-out over the edges of a type: `~more/WROTE`. */
export function continuationKey(edgeType: string): DerivedSortKey {
  return (CONTINUATION_PREFIX + edgeType) as DerivedSortKey;
}

/** The sort key of the continuation of a fan-out of a source node to the index items of its edges: `~more/#source/TICKET`. */
export function sourceContinuationKey(edgeType: string): DerivedSortKey {
  return (SOURCE_CONTINUATION_PREFIX + edgeType) as DerivedSortKey;
}

/**
 * The sort key of a search item: `~ix/name`; of a part's: `~ix/#STATE/status`.
 *
 * @param name the name of the search; that of a part's search begins with the part: `STATE.status`.
 */
export function searchKey(name: string, generation = 1, part?: string): DerivedSortKey {
  if (part === undefined) return (generationPrefix(INDEX_PREFIX, generation) + escapeName(name)) as DerivedSortKey;
  return (partSearchPrefix(part, generation) + escapeName(name.slice(part.length + 1))) as DerivedSortKey;
}

/** The beginning of the sort keys of a part's search items. */
export function partSearchPrefix(part: string, generation = 1): string {
  return `${generationPrefix(INDEX_PREFIX, generation)}#${part}/`;
}

/** The sort key of the view of a node's part: `~view/STATE`, of a later generation `~view/@2/STATE`. */
export function partViewKey(part: string, generation = 1): DerivedSortKey {
  return (generationPrefix(PART_VIEW_PREFIX, generation) + part) as DerivedSortKey;
}

/**
 * The sort key of the search item for one value: `~ix/favoriteFoods/ramen`, of a later generation `~ix/@2/favoriteFoods/ramen`. A hash is
 * in it instead of a value that is too long.
 */
export function searchValueKey(name: string, encodedValue: string, generation = 1): DerivedSortKey {
  return fittingKey(searchValuePrefix(name, generation), encodedValue);
}

/** The beginning of the sort keys of a multi-valued attribute's search items. */
export function searchValuePrefix(name: string, generation = 1, part?: string): string {
  return `${searchKey(name, generation, part)}/`;
}

/** The sort key of the quarantine entry of an item, a base item or a derived one. */
export function quarantineKey(target: string): DerivedSortKey {
  return fittingKey(QUARANTINE_PREFIX, target);
}

/** `prefix + text`, or `prefix + #hash` where that is too long; a text that begins with `#` is hashed, to stay apart. */
export function fittingKey(prefix: string, text: string): DerivedSortKey {
  const key = prefix + text;
  return (
    isWithinBytes(key, SORT_KEY_BYTES) && !text.startsWith('#') ? key : `${prefix}#${hash128(text)}`
  ) as DerivedSortKey;
}
