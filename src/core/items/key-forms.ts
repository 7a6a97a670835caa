import { generationPrefix } from './generation.ts';
import { type DerivedSortKey, hash128, isWithinBytes, SORT_KEY_BYTES, VIEW_KEY } from './keys.ts';

/** Only `derived-key.ts` and the places of projections import these. */

export const INDEX_PREFIX = '~ix/';
/** No order can have an option's name. */
export const TARGET_ITEM_PREFIX = '~ix/#includeTarget/';
export const DEGREE_PREFIX = '~degree/';
export const TOTAL_PREFIX = '~total/';
/** In the targets' partitions; the edge type and the source follow. */
export const IN_TARGET_PREFIXES = { 'reverse-item': '~rev/', 'total-entry': '~in/' } as const;
export type KindInTarget = keyof typeof IN_TARGET_PREFIXES;
/** By which a fan-out tells itself to go on. */
export const CONTINUATION_PREFIX = '~more/';
/** For a node's change to its outgoing edges' index items. */
export const SOURCE_CONTINUATION_PREFIX = `${CONTINUATION_PREFIX}#source/`;
export const QUARANTINE_PREFIX = '~quarantine/';
export const PART_VIEW_PREFIX = `${VIEW_KEY}/`;
/** No order begins with a capital letter, and no hash is followed by `/`. */
export const PART_SEARCH_KEY = /^~ix\/#([A-Z][A-Z0-9_]*)\//;
export const ORDER_KEY = /^~ix\/#([a-z][A-Za-z0-9_]*)\//;

function escapeName(name: string): string {
  return name.replace(
    /[%/#@-]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

export function unescapeSearchName(escaped: string): string | undefined {
  const name = escaped.replace(/%([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return escapeName(name) === escaped ? name : undefined;
}

/** Neither search names nor edges' sort keys begin with `#`, and a hash isn't followed by `/`. */
export function edgeIndexPrefix(orderName: string | undefined, generation = 1): string {
  const prefix = generationPrefix(INDEX_PREFIX, generation);
  return orderName === undefined ? prefix : `${prefix}#${orderName}/`;
}

export function hashedOrNamedIndexPrefix(generation = 1): string {
  return `${generationPrefix(INDEX_PREFIX, generation)}#`;
}

/** `~ix/#includeTarget/TICKET/byPriority`. */
export function targetItemKey(edgeType: string, orderName?: string, generation = 1): DerivedSortKey {
  const prefix = generationPrefix(INDEX_PREFIX, generation) + TARGET_ITEM_PREFIX.slice(INDEX_PREFIX.length);
  return fittingKey(prefix, orderName === undefined ? edgeType : `${edgeType}/${orderName}`);
}

/** `~degree/@2/FOLLOWS`. */
export function degreeKey(countName: string): DerivedSortKey {
  return (DEGREE_PREFIX + countName) as DerivedSortKey;
}

/** `@2/FOLLOWS`. */
export function countNameOf(edgeType: string, generation = 1): string {
  return generationPrefix('', generation) + edgeType;
}

/** `~total/@2/WORKED_ON`. */
export function totalKey(edgeType: string, generation = 1): DerivedSortKey {
  return (TOTAL_PREFIX + countNameOf(edgeType, generation)) as DerivedSortKey;
}

/** `~in/@2/WORKED_ON-`. */
export function inTargetPrefix(kind: KindInTarget, edgeType: string, generation = 1): string {
  return `${generationPrefix(IN_TARGET_PREFIXES[kind], generation)}${edgeType}-`;
}

/** `~rev/WROTE-BOOK-1`. */
export function reverseKey(edgeType: string, source: string): DerivedSortKey {
  return fittingKey(inTargetPrefix('reverse-item', edgeType), source);
}

export function continuationKey(edgeType: string): DerivedSortKey {
  return (CONTINUATION_PREFIX + edgeType) as DerivedSortKey;
}

export function sourceContinuationKey(edgeType: string): DerivedSortKey {
  return (SOURCE_CONTINUATION_PREFIX + edgeType) as DerivedSortKey;
}

/** `~ix/name`; for a part, `STATE.status`: `~ix/#STATE/status`. */
export function searchKey(name: string, generation = 1, part?: string): DerivedSortKey {
  if (part === undefined) return (generationPrefix(INDEX_PREFIX, generation) + escapeName(name)) as DerivedSortKey;
  return (partSearchPrefix(part, generation) + escapeName(name.slice(part.length + 1))) as DerivedSortKey;
}

export function partSearchPrefix(part: string, generation = 1): string {
  return `${generationPrefix(INDEX_PREFIX, generation)}#${part}/`;
}

/** `~view/@2/STATE`. */
export function partViewKey(part: string, generation = 1): DerivedSortKey {
  return (generationPrefix(PART_VIEW_PREFIX, generation) + part) as DerivedSortKey;
}

/** `~ix/@2/favoriteFoods/`. */
export function searchValuePrefix(name: string, generation = 1, part?: string): string {
  return `${searchKey(name, generation, part)}/`;
}

export function quarantineKey(target: string): DerivedSortKey {
  return fittingKey(QUARANTINE_PREFIX, target);
}

/** Hashed if too long, or if the text could be taken for a hash. */
export function fittingKey(prefix: string, text: string): DerivedSortKey {
  const key = prefix + text;
  return (
    isWithinBytes(key, SORT_KEY_BYTES) && !text.startsWith('#') ? key : `${prefix}#${hash128(text)}`
  ) as DerivedSortKey;
}
