import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { PARTITION_KEY_BYTES, SORT_KEY_BYTES } from '../../../core/items/keys.ts';
import { numberTextOf } from '../../../core/items/plain.ts';
import { byKey } from '../../../foundation/entries.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';

/** The secret that signs cursors. */
export type CursorKey = string | Uint8Array;

export interface CursorBinding {
  query: readonly unknown[];
  /** The order's meaning, which doesn't depend on its generation or number of shards. */
  meaning: string;
}

/** Options that may differ between two pages. All others are bound to the cursor. */
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

/** `forms` replaces given values, so that equal filters have one form. */
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
    .sort(byKey);
}

/** Ends the recursion, because `with` may contain itself. */
const DEEPEST_BOUND = 32;

/** Numbers with the same digits have the same JSON, whatever their type. */
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
/** A cursor can name `MOST_GIVEN` rows that the session has written, more than a session remembers. */
export const [MOST_GIVEN, GIVEN_CHARACTERS] = [64, 12];
/**
 * The longest position is a native list's: hashes of rows that the session has written, a value, and the source with
 * its length.
 */
const PLACE_BYTES = SORT_KEY_BYTES + PARTITION_KEY_BYTES + MOST_GIVEN * GIVEN_CHARACTERS + 8;
export const MAX_CURSOR_CHARACTERS = Math.ceil(((HEAD_BYTES + PLACE_BYTES) * 4) / 3);

/**
 * A cursor holds the last sort key returned or, if the units ran out, the last one up to which every shard was read;
 * for a native list, a `Position`. One key suffices for all shards, because a query's sort keys are unique. Bytes, as
 * base64url: version; tag over key, query and meaning; hash of the meaning; key.
 */
export function encodeCursor(lastKey: string, binding: CursorBinding, cursorKey?: CursorKey): string {
  const meaning = meaningBytes(binding.meaning);
  const tag = tagOf(lastKey, meaning, binding, cursorKey);
  return Buffer.concat([Buffer.of(VERSION), tag, meaning, Buffer.from(lastKey, 'utf8')]).toString('base64url');
}

export function decodeCursor(cursor: string, binding: CursorBinding, cursorKey?: CursorKey): string {
  if (typeof cursor !== 'string' || cursor.length > MAX_CURSOR_CHARACTERS) throw cursorRefused();
  const bytes = Buffer.from(cursor, 'base64url');
  // `Buffer.from` ignores characters that aren't base64url.
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
