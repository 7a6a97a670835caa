import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { PARTITION_KEY_BYTES, SORT_KEY_BYTES } from '../../../core/items/keys.ts';
import { numberTextOf } from '../../../core/items/plain.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';

/**
 * Cursors: one opaque text that says where a page ended, however many shards the page was gathered from.
 *
 * The sort key of the last item given out is enough to go on in every shard, since the sort keys of one query are
 * unique. A tag over that key, the query and what its order means goes with it: a checksum, or with a `cursorKey` a
 * signature, so that a cursor that was altered or belongs elsewhere is refused instead of giving a wrong page.
 * Bytes: version, tag, a hash of the meaning, UTF-8 of the key; in base64url.
 */

/** The secret that cursors are signed with. */
export type CursorKey = string | Uint8Array;

/** The query that a cursor belongs to. */
export interface CursorBinding {
  /** Everything that decides which items a query gives and in what order, beginning with the name of the table; JSON values. */
  query: readonly unknown[];
  /**
   * Fingerprint of what the order of the items means, of any length. A cursor goes on wherever the order means the same, in
   * whichever generation and shards the items lie.
   */
  meaning: string;
}

/**
 * Options that two pages of one query may differ in: how much a page takes, and how it is read. Every other option is bound to the cursor,
 * also one that is added later.
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
 * Everything that the options and the predicate of a query say, as JSON for `CursorBinding.query`. An option that is `undefined` or `false`
 * says nothing.
 *
 * @param forms values that replace those of the caller, such as one form of all equal filters.
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

/** No query reads values inside each other so deep; a `with` may hold itself. */
const DEEPEST_BOUND = 32;

/** A value as JSON that keeps different values apart; the forms of one number are alike. */
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
/** The most own rows that a place of a native order names, and the characters of each. A session remembers fewer writes. */
export const [MOST_GIVEN, GIVEN_CHARACTERS] = [64, 12];
/** Bytes of the longest place: of a native order own rows, a value, and the source with its length. Sort keys are shorter. */
const PLACE_BYTES = SORT_KEY_BYTES + PARTITION_KEY_BYTES + MOST_GIVEN * GIVEN_CHARACTERS + 8;
/** Characters of the longest cursor: base64url of the head and of a place. */
export const MAX_CURSOR_CHARACTERS = Math.ceil(((HEAD_BYTES + PLACE_BYTES) * 4) / 3);

/** The cursor for going on after the item with this sort key. */
export function encodeCursor(lastKey: string, binding: CursorBinding, cursorKey?: CursorKey): string {
  const meaning = meaningBytes(binding.meaning);
  const tag = tagOf(lastKey, meaning, binding, cursorKey);
  return Buffer.concat([Buffer.of(VERSION), tag, meaning, Buffer.from(lastKey, 'utf8')]).toString('base64url');
}

/**
 * The sort key of a cursor. Throws `invalid-cursor` where it is not one of this query, and `cursor-outdated`
 * where the order means something else by now.
 */
export function decodeCursor(cursor: string, binding: CursorBinding, cursorKey?: CursorKey): string {
  if (typeof cursor !== 'string' || cursor.length > MAX_CURSOR_CHARACTERS) throw cursorRefused();
  const bytes = Buffer.from(cursor, 'base64url');
  // Node skips characters that are not base64url; only the text that was given out is taken back.
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
