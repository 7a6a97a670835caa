import { generationPrefix } from './generation.ts';
import { type DerivedSortKey, hash128, isWithinBytes, SORT_KEY_BYTES, VIEW_KEY } from './keys.ts';

/**
 * The forms of derived sort keys. Only the codec (derived-key.ts) and the factory of places (core/model/projection)
 * import them; other code gets keys from a projection's places.
 */

export const INDEX_PREFIX = '~ix/';
/** Target items: the name is an option's, which no order can have. */
export const TARGET_ITEM_PREFIX = '~ix/#includeTarget/';
export const DEGREE_PREFIX = '~degree/';
export const TOTAL_PREFIX = '~total/';
/**
 * Kinds of items that edges have in their targets' partitions (reverse items, and entries in totals), with their
 * prefixes. The edge type and the edge's source follow.
 */
export const IN_TARGET_PREFIXES = { 'reverse-item': '~rev/', 'total-entry': '~in/' } as const;
export type KindInTarget = keyof typeof IN_TARGET_PREFIXES;
/** Continuations: records by which a fan-out tells itself to go on. */
export const CONTINUATION_PREFIX = '~more/';
/** Continuations that bring a node's change to its outgoing edges' index items. */
export const SOURCE_CONTINUATION_PREFIX = `${CONTINUATION_PREFIX}#source/`;
export const QUARANTINE_PREFIX = '~quarantine/';
export const PART_VIEW_PREFIX = `${VIEW_KEY}/`;
/** A part's search item: no order begins with a capital letter, and no hash is followed by `/`. */
export const PART_SEARCH_KEY = /^~ix\/#([A-Z][A-Z0-9_]*)\//;
export const ORDER_KEY = /^~ix\/#([a-z][A-Za-z0-9_]*)\//;

/** Percent-encodes what would be ambiguous in a search item's sort key. */
function escapeName(name: string): string {
  return name.replace(
    /[%/#@-]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

/** Undefined if no search name has this form. */
export function unescapeSearchName(escaped: string): string | undefined {
  const name = escaped.replace(/%([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return escapeName(name) === escaped ? name : undefined;
}

/**
 * The sort key of an edge's index item, or of the item of a named order: `~ix/#byPriority/GOALMEMBERSHIP-USER-U1`. A
 * long edge key is replaced by its hash.
 */
export function edgeIndexKey(baseSortKey: string, orderName?: string, generation = 1): DerivedSortKey {
  return fittingKey(edgeIndexPrefix(orderName, generation), baseSortKey);
}

export function edgeIndexPrefix(orderName: string | undefined, generation = 1): string {
  return orderName === undefined ? generationPrefix(INDEX_PREFIX, generation) : orderKeyPrefix(orderName, generation);
}

/**
 * Prefix of a named order's index items. Neither search names nor edges' sort keys begin with `#`, and a sort key's
 * hash isn't followed by `/`.
 */
export function orderKeyPrefix(orderName: string, generation = 1): string {
  return `${generationPrefix(INDEX_PREFIX, generation)}#${orderName}/`;
}

export function hashedOrNamedIndexPrefix(generation = 1): string {
  return `${generationPrefix(INDEX_PREFIX, generation)}#`;
}

/** `~ix/#includeTarget/TICKET`, or `~ix/#includeTarget/TICKET/byPriority` for a named order. */
export function targetItemKey(edgeType: string, orderName?: string, generation = 1): DerivedSortKey {
  const prefix = generationPrefix(INDEX_PREFIX, generation) + TARGET_ITEM_PREFIX.slice(INDEX_PREFIX.length);
  return fittingKey(prefix, orderName === undefined ? edgeType : `${edgeType}/${orderName}`);
}

/**
 * `~degree/FOLLOWS`; for a later generation `~degree/@2/FOLLOWS`.
 *
 * @param countName from `countNameOf`.
 */
export function degreeKey(countName: string): DerivedSortKey {
  return (DEGREE_PREFIX + countName) as DerivedSortKey;
}

/** `FOLLOWS`; for a later generation `@2/FOLLOWS`. Counted items hold it. */
export function countNameOf(edgeType: string, generation = 1): string {
  return generationPrefix('', generation) + edgeType;
}

/** `~total/WORKED_ON`; for a later generation `~total/@2/WORKED_ON`. */
export function totalKey(edgeType: string, generation = 1): DerivedSortKey {
  return (TOTAL_PREFIX + countNameOf(edgeType, generation)) as DerivedSortKey;
}

/** `~rev/WROTE-`; for a later generation `~in/@2/WORKED_ON-`. */
export function inTargetPrefix(kind: KindInTarget, edgeType: string, generation = 1): string {
  return `${generationPrefix(IN_TARGET_PREFIXES[kind], generation)}${edgeType}-`;
}

/** `~rev/WROTE-BOOK-1`, hashed if too long. */
export function reverseKey(edgeType: string, source: string): DerivedSortKey {
  return fittingKey(inTargetPrefix('reverse-item', edgeType), source);
}

/** `~more/WROTE`. */
export function continuationKey(edgeType: string): DerivedSortKey {
  return (CONTINUATION_PREFIX + edgeType) as DerivedSortKey;
}

/** `~more/#source/TICKET`. */
export function sourceContinuationKey(edgeType: string): DerivedSortKey {
  return (SOURCE_CONTINUATION_PREFIX + edgeType) as DerivedSortKey;
}

/**
 * `~ix/name`; for a part `~ix/#STATE/status`.
 *
 * @param name the search's name, which begins with the part, if any: `STATE.status`.
 */
export function searchKey(name: string, generation = 1, part?: string): DerivedSortKey {
  if (part === undefined) return (generationPrefix(INDEX_PREFIX, generation) + escapeName(name)) as DerivedSortKey;
  return (partSearchPrefix(part, generation) + escapeName(name.slice(part.length + 1))) as DerivedSortKey;
}

export function partSearchPrefix(part: string, generation = 1): string {
  return `${generationPrefix(INDEX_PREFIX, generation)}#${part}/`;
}

/** `~view/STATE`; for a later generation `~view/@2/STATE`. */
export function partViewKey(part: string, generation = 1): DerivedSortKey {
  return (generationPrefix(PART_VIEW_PREFIX, generation) + part) as DerivedSortKey;
}

/**
 * `~ix/favoriteFoods/ramen`; for a later generation `~ix/@2/favoriteFoods/ramen`. A long value is replaced by its hash.
 */
export function searchValueKey(name: string, encodedValue: string, generation = 1): DerivedSortKey {
  return fittingKey(searchValuePrefix(name, generation), encodedValue);
}

export function searchValuePrefix(name: string, generation = 1, part?: string): string {
  return `${searchKey(name, generation, part)}/`;
}

/** For a base item or a derived one. */
export function quarantineKey(target: string): DerivedSortKey {
  return fittingKey(QUARANTINE_PREFIX, target);
}

/**
 * `prefix + text`, or `prefix + #hash` if that is too long. Texts that begin with `#` are hashed to avoid ambiguity.
 */
export function fittingKey(prefix: string, text: string): DerivedSortKey {
  const key = prefix + text;
  return (
    isWithinBytes(key, SORT_KEY_BYTES) && !text.startsWith('#') ? key : `${prefix}#${hash128(text)}`
  ) as DerivedSortKey;
}
