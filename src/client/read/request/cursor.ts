import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { PARTITION_KEY_BYTES, SORT_KEY_BYTES } from '../../../core/items/keys.ts';
import { numberTextOf } from '../../../core/items/plain.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';

/**
 * Cursors: an opaque text that says where a page ended, however many shards it was gathered from.
 *
 * The sort key of the last returned item is enough to continue in every shard, since the sort keys of one query are
 * unique. A tag over this key, the query and the order's meaning goes with it: a checksum or, with a `cursorKey`, a
 * signature. A cursor that was altered or belongs to another query is refused instead of giving a wrong page. Bytes:
 * version, tag, hash of the meaning, the key in UTF-8; as base64url.
 */

/** The secret that cursors are signed with. */
export type CursorKey = string | Uint8Array;

export interface CursorBinding {
  /** JSON values that decide which items a query returns and in what order, beginning with the table's name. */
  query: readonly unknown[];
  /**
   * Fingerprint of the order's meaning. A cursor stays valid in any generation and shards while the meaning is the
   * same.
   */
  meaning: string;
}

/**
 * Options in which two pages of a query may differ: how much a page takes, and how it is read. All others, including
 * future ones, are bound to the cursor.
 */
const OF_ONE_PAGE: ReadonlySet<string> = new Set([
  'limit',
  'cursor',
  'maxRcu',
  'maxNodes',
  'consistent',
  'includeTarget',
  'capacity',
  'signal',
]);

/**
 * A query's options and predicate as JSON for `CursorBinding.query`. `undefined` and `false` count as not given.
 *
 * @param forms values that replace the caller's, such as one form for all equal filters.
 * @example
 * boundOptions({ equals: 3n, limit: 10, reverse: false }) // [['equals', '3']]
 */
export function boundOptions(
  options: object,
  forms: Readonly<Record<string, unknown>> = {},
): readonly (readonly [name: string, value: unknown])[] {
  const given = Object.entries({ ...options, ...forms });
  return namedValues(given.filter(([name, value]) => !OF_ONE_PAGE.has(name) && value !== false));
}

function namedValues(given: readonly [string, unknown][], depth = 0): (readonly [name: string, value: unknown])[] {
  return given
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, jsonOf(value, depth)] as const)
    .sort(([left], [right]) => (left < right ? -1 : 1));
}

/** Deeper than any query; a `with` may contain itself. */
const DEEPEST_BOUND = 32;

/** Different values have different JSON; forms of the same number have the same. */
function jsonOf(value: unknown, depth: number): unknown {
  if (value === undefined || value === null || depth > DEEPEST_BOUND) return null;
  if (typeof value === 'number') return String(value);
  const number = numberTextOf(value);
  if (number !== undefined) return number;
  if (Array.isArray(value)) return value.map((one) => jsonOf(one, depth + 1));
  return typeof value === 'object' ? { named: namedValues(Object.entries(value), depth + 1) } : value;
}

const VERSION = 2;
const TAG_BYTES = 16;
const MEANING_BYTES = 8;
const HEAD_BYTES = 1 + TAG_BYTES + MEANING_BYTES;
/**
 * The most own rows named by a place of a native order, and the characters of each. A session remembers fewer writes.
 */
export const [MOST_GIVEN, GIVEN_CHARACTERS] = [64, 12];
/** Bytes of the longest place, that of a native order: own rows, a value, and the source with its length. */
const PLACE_BYTES = SORT_KEY_BYTES + PARTITION_KEY_BYTES + MOST_GIVEN * GIVEN_CHARACTERS + 8;
/** Characters of the longest cursor: base64url of head and place. */
export const MAX_CURSOR_CHARACTERS = Math.ceil(((HEAD_BYTES + PLACE_BYTES) * 4) / 3);

export function encodeCursor(lastKey: string, binding: CursorBinding, cursorKey?: CursorKey): string {
  const meaning = meaningBytes(binding.meaning);
  const tag = tagOf(lastKey, meaning, binding, cursorKey);
  return Buffer.concat([Buffer.of(VERSION), tag, meaning, Buffer.from(lastKey, 'utf8')]).toString('base64url');
}

/**
 * Throws `invalid-cursor` if it doesn't belong to this query, and `cursor-outdated` if the order now means something
 * else.
 */
export function decodeCursor(cursor: string, binding: CursorBinding, cursorKey?: CursorKey): string {
  if (typeof cursor !== 'string' || cursor.length > MAX_CURSOR_CHARACTERS) throw cursorRefused();
  const bytes = Buffer.from(cursor, 'base64url');
  // Node ignores characters that aren't base64url; only the exact text is accepted.
  if (bytes.toString('base64url') !== cursor || bytes.length <= HEAD_BYTES || bytes[0] !== VERSION)
    throw cursorRefused();
  const lastKey = bytes.toString('utf8', HEAD_BYTES);
  const tag = bytes.subarray(1, 1 + TAG_BYTES);
  const meaning = bytes.subarray(1 + TAG_BYTES, HEAD_BYTES);
  const isUtf8 = Buffer.from(lastKey, 'utf8').equals(bytes.subarray(HEAD_BYTES));
  if (!isUtf8 || !timingSafeEqual(tag, tagOf(lastKey, meaning, binding, cursorKey))) throw cursorRefused();
  if (!meaning.equals(meaningBytes(binding.meaning))) throw cursorOutdated();
  return lastKey;
}

function meaningBytes(meaning: string): Buffer {
  return createHash('sha256').update(meaning).digest().subarray(0, MEANING_BYTES);
}

function tagOf(lastKey: string, meaning: Buffer, { query }: CursorBinding, cursorKey: CursorKey | undefined): Buffer {
  const hash = cursorKey === undefined ? createHash('sha256') : createHmac('sha256', cursorKey);
  return hash
    .update(JSON.stringify([VERSION, meaning.toString('hex'), query, lastKey]))
    .digest()
    .subarray(0, TAG_BYTES);
}

function cursorOutdated(): EdgeloomError {
  return new EdgeloomError(
    'cursor-outdated',
    'The model has changed since the cursor was made: its order has a different meaning now.',
    'Start again without a cursor.',
  );
}

function cursorRefused(): EdgeloomError {
  return new EdgeloomError(
    'invalid-cursor',
    'The cursor was altered, or it belongs to a different query or table.',
    'Pass on a cursor unchanged and with the same arguments (limit aside), or start again without one.',
  );
}
