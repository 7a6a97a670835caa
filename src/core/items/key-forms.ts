import { generationPrefix } from './generation.ts';
import { type DerivedSortKey, hash128, isWithinBytes, SORT_KEY_BYTES, VIEW_KEY } from './keys.ts';

export const INDEX_PREFIX = '~ix/';
/** Orders have prefixes of the same form, but no order can be named `includeTarget`. */
export const TARGET_ITEM_PREFIX = '~ix/#includeTarget/';
export const DEGREE_PREFIX = '~degree/';
export const TOTAL_PREFIX = '~total/';
/** Prefixes of an edge's items in the target's partition. The edge type and the source follow the prefix. */
export const IN_TARGET_PREFIXES = { 'reverse-item': '~rev/', 'total-entry': '~in/' } as const;
export type KindInTarget = keyof typeof IN_TARGET_PREFIXES;
export const CONTINUATION_PREFIX = '~more/';
/** For fan-outs to the index items of a node's outgoing edges. */
export const SOURCE_CONTINUATION_PREFIX = `${CONTINUATION_PREFIX}#source/`;
export const QUARANTINE_PREFIX = '~quarantine/';
export const PART_VIEW_PREFIX = `${VIEW_KEY}/`;
/** Part names begin with an uppercase letter, order names with a lowercase one, and no hash is followed by `/`. */
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

/** Neither search names nor edge sort keys begin with `#`. */
export function edgeIndexPrefix(orderName: string | undefined, generation = 1): string {
  const prefix = generationPrefix(INDEX_PREFIX, generation);
  return orderName === undefined ? prefix : `${prefix}#${orderName}/`;
}

export function hashedOrNamedIndexPrefix(generation: number): string {
  return `${generationPrefix(INDEX_PREFIX, generation)}#`;
}

export function targetItemKey(edgeType: string, orderName?: string, generation = 1): DerivedSortKey {
  const prefix = generationPrefix(INDEX_PREFIX, generation) + TARGET_ITEM_PREFIX.slice(INDEX_PREFIX.length);
  return fittingKey(prefix, orderName === undefined ? edgeType : `${edgeType}/${orderName}`);
}

export function degreeKey(countName: string): DerivedSortKey {
  return (DEGREE_PREFIX + countName) as DerivedSortKey;
}

export function countNameOf(edgeType: string, generation = 1): string {
  return generationPrefix('', generation) + edgeType;
}

export function inTargetPrefix(kind: KindInTarget, edgeType: string, generation = 1): string {
  return `${generationPrefix(IN_TARGET_PREFIXES[kind], generation)}${edgeType}-`;
}

/** For example `~ix/name` or, for the part's search `STATE.status`, `~ix/#STATE/status`. */
export function searchKey(name: string, generation = 1, part?: string): DerivedSortKey {
  if (part === undefined) return (generationPrefix(INDEX_PREFIX, generation) + escapeName(name)) as DerivedSortKey;
  return (partSearchPrefix(part, generation) + escapeName(name.slice(part.length + 1))) as DerivedSortKey;
}

export function partSearchPrefix(part: string, generation = 1): string {
  return `${generationPrefix(INDEX_PREFIX, generation)}#${part}/`;
}

export function partViewKey(part: string, generation: number): DerivedSortKey {
  return (generationPrefix(PART_VIEW_PREFIX, generation) + part) as DerivedSortKey;
}

export function searchValuePrefix(name: string, generation = 1, part?: string): string {
  return `${searchKey(name, generation, part)}/`;
}

export function quarantineKey(target: string): DerivedSortKey {
  return fittingKey(QUARANTINE_PREFIX, target);
}

/** Hashes a string that is too long, or that could be mistaken for a hash. */
export function fittingKey(prefix: string, text: string): DerivedSortKey {
  const key = prefix + text;
  return (
    isWithinBytes(key, SORT_KEY_BYTES) && !text.startsWith('#') ? key : `${prefix}#${hash128(text)}`
  ) as DerivedSortKey;
}
