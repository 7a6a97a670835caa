import { createHash } from 'node:crypto';
import { EdgeloomError } from '../../foundation/errors.ts';
import { DERIVED_PREFIX } from './derived-prefix.ts';
import { describe } from './describe.ts';
import { isWellFormed } from './encoding.ts';

export { BELOW_DERIVED, DERIVED_ITEMS, DERIVED_PREFIX } from './derived-prefix.ts';
export { describe } from './describe.ts';

/**
 * Keys of base items: node ids and edges' sort keys; and how derived ones differ from them.
 *
 * A node id is `TYPE-anything`, split at the first `-`. An edge's sort key is `EDGETYPE-` + the target's node id, or a
 * hashed one (hashed-key.ts).
 * Derived sort keys begin with `~`, which no type does: derived-key.ts takes them apart, and a projection's places make them.
 */

declare const brand: unique symbol;
/** The sort key of a derived item. Only the codec makes one, and `isDerivedKey` knows one that is stored. */
export type DerivedSortKey = string & { readonly [brand]: 'derived sort key' };
/** The partition key of an index item. Only a projection's places make one. */
export type IndexPartitionKey = string & { readonly [brand]: 'index partition' };

/** The sort keys of base items: they begin with a type, so with `A` to `Z`; `[` is the next character. */
export const BASE_ITEMS = { from: 'A', to: '[' } as const;

/** DynamoDB's limits on keys, in bytes of UTF-8. */
export const PARTITION_KEY_BYTES = 2048;
export const SORT_KEY_BYTES = 1024;

/** The sort key of a node's view. */
export const VIEW_KEY = '~view' as DerivedSortKey;
/** The partition of the service's own items. No node id begins so, and the writer refuses keys that do. */
export const SERVICE_PARTITION = '~edgeloom';

/** Tells whether a partition has items of the service: its own one, or one of the partitions over which many of its items are spread. */
export function isServicePartition(partition: string): boolean {
  return partition.startsWith(SERVICE_PARTITION);
}

const TYPE = /^[A-Z][A-Z0-9_]*$/;

/** Tells whether a text can be the name of a node or edge type. */
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

/**
 * The characters that may end the tenant in an id. It is one character, so that the ids with a prefix are those of one tenant, and none that
 * has a meaning in a policy of IAM.
 */
export const TENANT_SEPARATORS = ['.', ':', '/', '#', '|', '-', '_'] as const;
/** A character that ends the tenant in an id. */
export type TenantSeparator = (typeof TENANT_SEPARATORS)[number];

/** The tenant of a node id: what stands between its type and the first separator; undefined where that is nothing. */
export function tenantOf(id: string, separator: string): string | undefined {
  const start = id.indexOf('-') + 1;
  const end = id.indexOf(separator, start);
  return end > start ? id.slice(start, end) : undefined;
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

/** Tells whether a sort key belongs to a derived item: written by the projector, never by a producer. */
export function isDerivedKey(sortKey: string): sortKey is DerivedSortKey {
  return sortKey[0] === DERIVED_PREFIX;
}

/** Returns a sort key that has to be one of a derived item. Throws if it is not: the caller has made a mistake. */
export function requireDerivedSortKey(sortKey: string): DerivedSortKey {
  if (isDerivedKey(sortKey)) return sortKey;
  throw new Error(`${describe(sortKey)} is no sort key of a derived item`);
}

/** The error of an id that is no node's. `subject` begins the sentence: `Attribute source "x"`. */
export function notAnId(subject: string): EdgeloomError {
  return new EdgeloomError(
    'invalid-id',
    `${subject} is not a node id.`,
    'A node id is its type, a dash and any text, such as USER-U1.',
  );
}

/** The error of a name that no type has. */
export function notATypeName(name: unknown): EdgeloomError {
  return new EdgeloomError(
    'invalid-id',
    `${describe(name)} is not a type name.`,
    'A type name is capital letters, digits and underscores, with a letter first, such as GOAL.',
  );
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
      'Give an id such as GOAL-G1. Of an item, a node has its id in both keys, an edge its source and TYPE-TARGET.',
    );
  }
  if (!isWellFormed(text)) {
    throw new EdgeloomError(
      'invalid-key',
      `${attribute} ${describe(text)} holds a lone surrogate, which would be stored as a different key.`,
      'Use valid Unicode in keys.',
    );
  }
  throw new EdgeloomError(
    'key-too-long',
    `${attribute} ${describe(text)} has ${Buffer.byteLength(text)} bytes; DynamoDB allows ${limitBytes}.`,
    'Use a shorter id.',
  );
}

/** Tells whether a text has at most `limitBytes` bytes in UTF-8. */
export function isWithinBytes(text: string, limitBytes: number): boolean {
  // A UTF-16 unit takes at most three bytes: short texts, which nearly all keys are, need no counting.
  return text.length * 3 <= limitBytes || Buffer.byteLength(text) <= limitBytes;
}

/** Tells whether a key is no longer than DynamoDB's limits; no item has a longer one, so a read of it finds nothing. */
export function isKeyWithinLimits({ source, target }: { source: string; target: string }): boolean {
  return isWithinBytes(source, PARTITION_KEY_BYTES) && isWithinBytes(target, SORT_KEY_BYTES);
}

/** The first 128 bits of SHA-256, as 32 hex digits. */
export function hash128(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 32);
}

/** The key of an item as a text, for maps and sets. */
export function textOfKey({ source, target }: { source: string; target: string }): string {
  return JSON.stringify([source, target]);
}
