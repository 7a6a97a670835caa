import { createHash } from 'node:crypto';
import { EdgeloomError } from '../errors.ts';
import { describe } from './describe.ts';
import { isWellFormed } from './encoding.ts';

export { describe } from './describe.ts';

import { generationPrefix } from './generation.ts';

/**
 * Keys: node ids, edges' sort keys, and the sort keys of derived items.
 *
 * A node id is `TYPE-anything`, split at the first `-`. An edge's sort key is `EDGETYPE-` + the target's node id, or a
 * hashed one (hashed-key.ts).
 * Derived sort keys begin with `~`, which no type does.
 */

/** DynamoDB's limits on keys, in bytes of UTF-8. */
export const PARTITION_KEY_BYTES = 2048;
export const SORT_KEY_BYTES = 1024;

/** The first character of every derived item's sort key. */
export const DERIVED_PREFIX = '~';
/** The sort key of a node's view. */
export const VIEW_KEY = '~view';
/** What the sort keys of index items begin with. */
export const INDEX_PREFIX = '~ix/';
/** What the sort keys of owner items begin with; the name is that of an option, which no order can have. */
export const OWNER_PREFIX = '~ix/#includeOwner/';
/** What the sort keys of counts of edges begin with. */
export const DEGREE_PREFIX = '~degree/';
/** What the sort keys of edges' reverse items begin with, in the partitions of their targets. */
export const REVERSE_PREFIX = '~rev/';
/** The sort keys of records with which the fan-out tells itself to go on begin so. */
export const CONTINUATION_PREFIX = '~more/';
/** What the sort keys of continuations begin with that bring a node's change to its outgoing edges' index items. */
export const SOURCE_CONTINUATION_PREFIX = `${CONTINUATION_PREFIX}#source/`;
/** What the sort keys of quarantine entries begin with. */
export const QUARANTINE_PREFIX = '~quarantine/';
/** The partition of the service's own items. No node id begins so, and the writer refuses keys that do. */
export const SERVICE_PARTITION = '~edgeloom';

/** An index item's sort key with the name of an order. */
export const ORDER_KEY = /^~ix\/#([a-z][A-Za-z0-9_]*)\//;

const TYPE = /^[A-Z][A-Z0-9_]*$/;

/** Whether a text can be the name of a node or edge type. */
export function isTypeName(text: string): boolean {
  return TYPE.test(text);
}

/** A node id, taken apart: `GOAL-G1` is type `GOAL`, key `G1`. */
export interface NodeIdParts {
  type: string;
  key: string;
}

/** Splits a node id at its first `-`; undefined where the text is not one. */
export function parseNodeId(id: string): NodeIdParts | undefined {
  const dash = id.indexOf('-');
  if (dash <= 0 || dash === id.length - 1) return undefined;
  const type = id.slice(0, dash);
  return isTypeName(type) ? { type, key: id.slice(dash + 1) } : undefined;
}

/** The type of a node id or the edge type of an edge's sort key: what stands before the first `-`. */
export function typePrefix(key: string): string | undefined {
  const dash = key.indexOf('-');
  if (dash <= 0) return undefined;
  const type = key.slice(0, dash);
  return isTypeName(type) ? type : undefined;
}

/** An edge's plain sort key: `GOALMEMBERSHIP-USER-U1`. */
export function edgeSortKey(edgeType: string, target: string): string {
  return `${edgeType}-${target}`;
}

/** Whether a sort key belongs to a derived item: written by the projector, never by a producer. */
export function isDerivedKey(sortKey: string): boolean {
  return sortKey[0] === DERIVED_PREFIX;
}

/** A new random node id of a type: `GOAL-` and a UUID. Counters are never keys: they make hot partitions. */
export function newId<T extends string>(type: T): `${T}-${string}` {
  if (!isTypeName(type)) {
    throw new EdgeloomError(
      'invalid-id',
      `${JSON.stringify(type)} is not a type name.`,
      'Types match [A-Z][A-Z0-9_]*.',
    );
  }
  return `${type}-${globalThis.crypto.randomUUID()}`;
}

/** How a message names a part of a key; a function where that takes work, which a key that fits has no need of. */
export type Role = string | (() => string);

/** Checks a text as (part of) a key; throws an `EdgeloomError` that names `role` where it does not fit. */
export function checkKeyText(text: unknown, role: Role, limitBytes: number): asserts text is string {
  if (typeof text === 'string' && text !== '' && isWellFormed(text) && isWithinBytes(text, limitBytes)) return;
  const attribute = typeof role === 'string' ? role : role();
  if (typeof text !== 'string' || text === '') {
    throw new EdgeloomError(
      'invalid-key',
      `${attribute} should be a text that is not empty, but is ${describe(text)}.`,
    );
  }
  if (!isWellFormed(text)) {
    throw new EdgeloomError(
      'invalid-key',
      `${attribute} ${describe(text)} holds a lone surrogate, which would be stored as another key.`,
      'Use valid Unicode in keys.',
    );
  }
  throw new EdgeloomError(
    'key-too-long',
    `${attribute} ${describe(text)} has ${Buffer.byteLength(text)} bytes; DynamoDB allows ${limitBytes}.`,
    'Use a shorter id.',
  );
}

/** Whether a text has at most so many bytes in UTF-8. */
export function isWithinBytes(text: string, limitBytes: number): boolean {
  // A UTF-16 unit takes at most three bytes: short texts, which nearly all keys are, need no counting.
  return text.length * 3 <= limitBytes || Buffer.byteLength(text) <= limitBytes;
}

/** Whether a key is no longer than DynamoDB's limits; no item has a longer one, so a read of it finds nothing. */
export function isKeyWithinLimits({ source, target }: { source: string; target: string }): boolean {
  return isWithinBytes(source, PARTITION_KEY_BYTES) && isWithinBytes(target, SORT_KEY_BYTES);
}

/** The first 128 bits of SHA-256, as 32 hex digits. */
export function hash128(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 32);
}

/** Percent-encodes what would be ambiguous in the name part of a search item's sort key. */
function escapeName(name: string): string {
  return name.replace(
    /[%/#@-]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

/** The name of a search, by the part of a sort key that it is escaped in; undefined where no name has this form. */
export function nameOfSearchKey(escaped: string): string | undefined {
  const name = escaped.replace(/%([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return escapeName(name) === escaped ? name : undefined;
}

/**
 * The sort key of an edge's index item, or with an order's name of the item that the order has for itself:
 * `~ix/#byPriority/GOALMEMBERSHIP-USER-U1`. Edges whose own sort key leaves no room are named by its hash.
 */
export function edgeIndexKey(baseSortKey: string, orderName?: string, generation = 1): string {
  return fittingKey(edgeIndexPrefix(orderName, generation), baseSortKey);
}

/** What the sort keys of edges' index items begin with: see `fittingKey`. */
export function edgeIndexPrefix(orderName: string | undefined, generation = 1): string {
  return orderName === undefined ? generationPrefix(INDEX_PREFIX, generation) : orderKeyPrefix(orderName, generation);
}

/**
 * What the sort keys of a named order's index items begin with. Neither the names of searches nor edges' sort keys begin
 * with `#`, and the hash of a sort key has no `/` behind it.
 */
export function orderKeyPrefix(orderName: string, generation = 1): string {
  return `${generationPrefix(INDEX_PREFIX, generation)}#${orderName}/`;
}

/** What the sort keys of index items begin with that are named by a hash of their edge's, or belong to a named order. */
export function hashedIndexPrefix(generation = 1): string {
  return `${generationPrefix(INDEX_PREFIX, generation)}#`;
}

/**
 * The sort key of a node's index item among its incoming edges of a type, or with an order's name among those in that
 * order: `~ix/#includeOwner/TICKET`, `~ix/#includeOwner/TICKET/byPriority`.
 */
export function ownerIndexKey(edgeType: string, orderName?: string, generation = 1): string {
  const prefix = generationPrefix(INDEX_PREFIX, generation) + OWNER_PREFIX.slice(INDEX_PREFIX.length);
  return fittingKey(prefix, orderName === undefined ? edgeType : `${edgeType}/${orderName}`);
}

/**
 * The sort key of the count of a node's edges of a type: `~degree/FOLLOWS`, of a later generation `~degree/@2/FOLLOWS`.
 *
 * @param countName what `countNameOf` gives.
 */
export function degreeKey(countName: string): string {
  return DEGREE_PREFIX + countName;
}

/** The name of a count: the edge type, of a later generation behind its mark: `@2/FOLLOWS`. Counted items hold it. */
export function countNameOf(edgeType: string, generation = 1): string {
  return generationPrefix('', generation) + edgeType;
}

/** What the sort keys of the reverse items of an edge type begin with: `~rev/WROTE-`. */
export function reversePrefix(edgeType: string): string {
  return `${REVERSE_PREFIX}${edgeType}-`;
}

/** The sort key of an edge's reverse item in its target's partition: `~rev/WROTE-BOOK-1`, hashed when too long. */
export function reverseKey(edgeType: string, source: string): string {
  return fittingKey(reversePrefix(edgeType), source);
}

/** The sort key of the continuation of a fan-out over the edges of a type: `~more/WROTE`. */
export function continuationKey(edgeType: string): string {
  return CONTINUATION_PREFIX + edgeType;
}

/** The sort key of the continuation of a fan-out of a source node to the index items of its edges: `~more/#source/TICKET`. */
export function sourceContinuationKey(edgeType: string): string {
  return SOURCE_CONTINUATION_PREFIX + edgeType;
}

/** The sort key of a search item: `~ix/name`. */
export function searchKey(name: string, generation = 1): string {
  return generationPrefix(INDEX_PREFIX, generation) + escapeName(name);
}

/** The sort key of one value's search item: `~ix/favoriteFoods/ramen`, hashed when too long. */
export function searchValueKey(name: string, encodedValue: string, generation = 1): string {
  return fittingKey(searchValuePrefix(name, generation), encodedValue);
}

/** What the sort keys of a multi-valued attribute's search items begin with. */
export function searchValuePrefix(name: string, generation = 1): string {
  return `${searchKey(name, generation)}/`;
}

/** The sort key of a quarantine entry: one for each record, so that no entry overwrites another. */
export function quarantineKey(target: string, watermark: string): string {
  // rule: quarantine-entry-is-named-by-its-record
  const suffix = `/${watermark}`;
  const room = SORT_KEY_BYTES - Buffer.byteLength(QUARANTINE_PREFIX + suffix);
  const readable = Buffer.byteLength(target) <= room && !target.startsWith('#');
  return QUARANTINE_PREFIX + (readable ? target : `#${hash128(target)}`) + suffix;
}

/** `prefix + text`, or `prefix + #hash` where that is too long; a text that begins with `#` is hashed, to stay apart. */
export function fittingKey(prefix: string, text: string): string {
  const key = prefix + text;
  return isWithinBytes(key, SORT_KEY_BYTES) && !text.startsWith('#') ? key : `${prefix}#${hash128(text)}`;
}

/** The key of an item as a text, for maps and sets. */
export function textOfKey({ source, target }: { source: string; target: string }): string {
  return JSON.stringify([source, target]);
}
