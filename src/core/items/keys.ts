import { createHash } from 'node:crypto';
import { describe } from '../../foundation/describe.ts';
import { EdgeloomError } from '../../foundation/errors.ts';
import { isWellFormed } from './encoding.ts';

export { describe } from '../../foundation/describe.ts';

export const DERIVED_PREFIX = '~';
export const BELOW_DERIVED = { to: '}\u{10ffff}' } as const;

/** An item's key, which the store maps to the table's attribute names. */
export interface ItemKey {
  source: string;
  target: string;
}

declare const brand: unique symbol;
export type DerivedSortKey = string & { readonly [brand]: 'derived sort key' };
export type IndexPartitionKey = string & { readonly [brand]: 'index partition' };

/** Types begin with `A` to `Z`, and `[` is the next character. */
export const BASE_ITEMS = { from: 'A', to: '[' } as const;

/** DynamoDB's limits on keys, in UTF-8 bytes. */
export const PARTITION_KEY_BYTES = 2048;
export const SORT_KEY_BYTES = 1024;

export const VIEW_KEY = '~view' as DerivedSortKey;
/** No node id begins with `~`. */
export const SERVICE_PARTITION = '~edgeloom';

/** Includes the partitions of the sources' ledgers, such as `~edgeloom/ledger/…`. */
export function isServicePartition(partition: string): boolean {
  return partition.startsWith(SERVICE_PARTITION);
}

const TYPE = /^[A-Z][A-Z0-9_]*$/;

export function isTypeName(text: string): boolean {
  return TYPE.test(text);
}

export function parseNodeId(id: string): { type: string; key: string } | undefined {
  const dash = id.indexOf('-');
  if (dash <= 0 || dash === id.length - 1) return undefined;
  const type = id.slice(0, dash);
  return isTypeName(type) ? { type, key: id.slice(dash + 1) } : undefined;
}

/** Characters without a meaning in IAM policies. */
export const TENANT_SEPARATORS = ['.', ':', '/', '#', '|', '-', '_'] as const;
/** A character that ends the tenant in an id. */
export type TenantSeparator = (typeof TENANT_SEPARATORS)[number];

export function tenantOf(id: string, separator: string): string | undefined {
  const start = id.indexOf('-') + 1;
  const end = id.indexOf(separator, start);
  return end > start ? id.slice(start, end) : undefined;
}

export function typePrefix(key: string): string | undefined {
  const dash = key.indexOf('-');
  if (dash <= 0) return undefined;
  const type = key.slice(0, dash);
  return isTypeName(type) ? type : undefined;
}

export function edgeSortKey(edgeType: string, target: string): string {
  return `${edgeType}-${target}`;
}

export function isDerivedKey(sortKey: string): sortKey is DerivedSortKey {
  return sortKey[0] === DERIVED_PREFIX;
}

export function requireDerivedSortKey(sortKey: string): DerivedSortKey {
  if (isDerivedKey(sortKey)) return sortKey;
  throw new Error(`${describe(sortKey)} is no sort key of a derived item`);
}

export function notAnId(subject: string): EdgeloomError {
  return new EdgeloomError(
    'invalid-id',
    `${subject} is not a node id.`,
    'A node id is its type, a dash and any text, such as USER-U1.',
  );
}

export function notATypeName(name: unknown): EdgeloomError {
  return new EdgeloomError(
    'invalid-id',
    `${describe(name)} is not a type name.`,
    'A type name is capital letters, digits and underscores, with a letter first, such as GOAL.',
  );
}

/** Names a key in messages. A function is only called for an invalid key, so that valid keys don't pay for its text. */
export type Role = string | (() => string);

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

export function isWithinBytes(text: string, limitBytes: number): boolean {
  // A UTF-16 unit takes at most three bytes.
  return text.length * 3 <= limitBytes || Buffer.byteLength(text) <= limitBytes;
}

export function isKeyWithinLimits({ source, target }: ItemKey): boolean {
  return isWithinBytes(source, PARTITION_KEY_BYTES) && isWithinBytes(target, SORT_KEY_BYTES);
}

export function hash128(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex').slice(0, 32);
}

export function textOfKey({ source, target }: ItemKey): string {
  return JSON.stringify([source, target]);
}
