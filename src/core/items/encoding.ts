import { describe } from '../../foundation/describe.ts';
import { type AttributeType, type AttributeValue, EncodingError, parseDecimal, typeOf } from './attribute-value.ts';
import { encodeDate } from './dates.ts';

/** Encodes values for index sort keys, so that the keys' UTF-8 bytes sort like the values. */

/** The types of values that an order sorts. */
export type ValueType = 'string' | 'number' | 'date';

/** Applied to values and to arguments, so a search finds a value by every string that has the same form. */
export type TextForm = (text: string) => string;

export const AS_WRITTEN: TextForm = (text) => text;

export function encodeValue(value: AttributeValue, type: ValueType, form: TextForm): string {
  if (type === 'number') {
    if ('N' in value) return encodeNumber(value.N);
    throw wrongTypeError('a number', value);
  }
  if (!('S' in value)) throw wrongTypeError(type === 'date' ? 'an ISO 8601 date in a string' : 'a string', value);
  if (type === 'date') return encodeDate(value.S);
  return encodeString(value.S, form);
}

function wrongTypeError(expected: string, value: AttributeValue): EncodingError {
  return new EncodingError(`should be ${expected}, but is ${typeName(typeOf(value))}`);
}

const TYPE_NAMES: Record<AttributeType, string> = {
  S: 'a string',
  N: 'a number',
  B: 'binary',
  SS: 'a string set',
  NS: 'a number set',
  BS: 'a binary set',
  BOOL: 'a boolean',
  NULL: 'null',
  L: 'a list',
  M: 'a map',
};

export function typeName(type: AttributeType): string {
  return TYPE_NAMES[type];
}

export function encodeString(text: string, form: TextForm): string {
  if (!isWellFormed(text)) throw new EncodingError('holds a lone surrogate, which is not valid Unicode');
  return form(text);
}

export function isWellFormed(text: string): boolean {
  // TypeScript's ES2023 library doesn't declare `isWellFormed`.
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}

const EXPONENT_BIAS = 500;
/** Sorts after every digit: -1 and -1.2 have the complements `8` and `87`, and -1 must sort later. */
const NEGATIVE_END = '~';

/**
 * Encodes zero as `0`, any other number as `-` or `1`, a biased three-digit exponent, and the significant digits. For a
 * negative number, exponent and digits are complemented, and `NEGATIVE_END` follows.
 */
export function encodeNumber(text: string): string {
  const decimal = parseDecimal(text);
  if (decimal === undefined) throw new EncodingError(`should be a number, but is ${describe(text)}`);
  if (decimal.digits === '') return '0';
  if (decimal.digits.length > 38) throw new EncodingError('has more than 38 significant digits');
  if (decimal.exponent > 126 || decimal.exponent < -129) {
    throw new EncodingError("is outside DynamoDB's range of 1E-130 to 9.99E+125");
  }
  const exponent = String(decimal.exponent + EXPONENT_BIAS).padStart(3, '0');
  if (!decimal.negative) return `1${exponent}${decimal.digits}`;
  return `-${ninesComplement(exponent)}${ninesComplement(decimal.digits)}${NEGATIVE_END}`;
}

export function decodeNumber(encoded: string): string {
  if (encoded === '0') return encoded;
  const isNegative = encoded.startsWith('-');
  const text = isNegative ? ninesComplement(encoded.slice(1, -NEGATIVE_END.length)) : encoded.slice(1);
  return `${isNegative ? '-' : ''}0.${text.slice(3)}E${Number(text.slice(0, 3)) - EXPONENT_BIAS}`;
}

function ninesComplement(digits: string): string {
  return digits.replace(/\d/g, (digit) => String(9 - Number(digit)));
}

/**
 * The lowest character, so that `a` sorts before `ab` whatever follows. In a value, a NUL becomes a NUL and `~`, which
 * sorts after every source.
 */
const SEPARATOR = '\u0000';
const ESCAPED_SEPARATOR = '\u0000~';
const AFTER_SOURCES = '[';
/** In a value, a NUL follows this character, which keeps every value below the next two sort keys. */
const HIGHEST = '\u{10ffff}';
export const LAST_SORT_KEY = `${HIGHEST}\u0001`;
export const TARGET_SORT_KEY = `${HIGHEST}\u0002`;

export function escapeValue(encoded: string): string {
  const escaped = encoded.includes(SEPARATOR) ? encoded.replaceAll(SEPARATOR, ESCAPED_SEPARATOR) : encoded;
  return escaped.includes(HIGHEST) ? escaped.replaceAll(HIGHEST, HIGHEST + SEPARATOR) : escaped;
}

export function sortKeyOfEscaped(escaped: string, source: string): string {
  return escaped + SEPARATOR + source;
}

export function encodedValueOf(sortKey: string, source: string): string {
  const escaped = sortKey.slice(0, sortKey.length - source.length - SEPARATOR.length);
  return escaped.replaceAll(HIGHEST + SEPARATOR, HIGHEST).replaceAll(ESCAPED_SEPARATOR, SEPARATOR);
}

export function lowestSortKeyOfValue(encoded: string): string {
  return escapeValue(encoded) + SEPARATOR;
}

export function highestSortKeyOfValue(encoded: string): string {
  return escapeValue(encoded) + SEPARATOR + AFTER_SOURCES;
}

/**
 * Ends each segment of a path, so that `San` isn't a prefix of `San Jose`. Only `SEPARATOR` sorts lower, and segments
 * escape both.
 */
const SEGMENT_END = '\u0001';
const ESCAPED_IN_SEGMENT = /[\u0000-\u0002]/g;
const SEGMENT_ESCAPE = '\u0002';
const ESCAPED_SEGMENT = /\u0002([a-c])/g;

export function encodePath(segments: readonly string[], form: TextForm): string {
  return segments.map((segment) => escapeSegment(encodeString(segment, form)) + SEGMENT_END).join('');
}

export function segmentsOf(encoded: string): string[] {
  return encoded
    .split(SEGMENT_END)
    .slice(0, -1)
    .map((segment) =>
      segment.replace(ESCAPED_SEGMENT, (_, letter: string) => String.fromCharCode(letter.charCodeAt(0) - 0x61)),
    );
}

function escapeSegment(segment: string): string {
  return segment.replace(
    ESCAPED_IN_SEGMENT,
    (character) => SEGMENT_ESCAPE + String.fromCharCode(0x61 + character.charCodeAt(0)),
  );
}

/**
 * Compares by UTF-8 bytes, as DynamoDB does. JavaScript compares UTF-16 units, so it would sort surrogates below U+E000
 * to U+FFFF.
 */
export function compareKeys(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    const a = left.charCodeAt(i);
    const b = right.charCodeAt(i);
    if (a !== b) {
      const surrogateA = a >= 0xd800 && a <= 0xdfff;
      const surrogateB = b >= 0xd800 && b <= 0xdfff;
      if (surrogateA !== surrogateB && (surrogateA ? b : a) >= 0xe000) return surrogateA ? 1 : -1;
      return a - b;
    }
  }
  return left.length - right.length;
}
