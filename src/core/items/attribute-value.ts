/**
 * An attribute value in DynamoDB's wire form. Numbers are decimal strings, which keep all 38 digits; sets are
 * unordered.
 */
export type AttributeValue =
  | { S: string }
  | { N: string }
  | { B: Uint8Array }
  | { SS: string[] }
  | { NS: string[] }
  | { BS: Uint8Array[] }
  | { BOOL: boolean }
  | { NULL: true }
  | { L: AttributeValue[] }
  | { M: Record<string, AttributeValue> };

/** An item, or a map in an item, in DynamoDB's wire form. */
export type Item = Record<string, AttributeValue>;

export type AttributeType = 'S' | 'N' | 'B' | 'SS' | 'NS' | 'BS' | 'BOOL' | 'NULL' | 'L' | 'M';

const TYPES: ReadonlySet<string> = new Set(['S', 'N', 'B', 'SS', 'NS', 'BS', 'BOOL', 'NULL', 'L', 'M']);

export function typeOf(value: AttributeValue): AttributeType {
  for (const key in value) if (TYPES.has(key)) return key as AttributeType;
  throw new TypeError('not a DynamoDB attribute value');
}

export function stringOf(value: AttributeValue | undefined): string | undefined {
  return value !== undefined && 'S' in value ? value.S : undefined;
}

export function jsonOf(value: AttributeValue | undefined): unknown {
  const text = stringOf(value);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function textOfUntrusted(value: unknown): string | undefined {
  const isText = typeof value === 'object' && value !== null && 'S' in value && typeof value.S === 'string';
  return isText ? (value.S as string) : undefined;
}

export function numberOf(value: AttributeValue | undefined): string | undefined {
  return value !== undefined && 'N' in value ? value.N : undefined;
}

export function textsOf(value: AttributeValue | undefined): readonly string[] {
  return value !== undefined && 'SS' in value ? value.SS : [];
}

/** Ignores inherited properties, because an attribute may be named `constructor`. */
export function attributeOf(item: Item, name: string): AttributeValue | undefined {
  const value: unknown = item[name];
  // An inherited value can only be a function or a prototype, so other values need no second lookup.
  const mayBeInherited = typeof value === 'function' || value === Object.prototype || value === null;
  return mayBeInherited && !Object.hasOwn(item, name) ? undefined : (value as AttributeValue | undefined);
}

export function setOwn<T>(target: Record<string, T>, name: string, value: T): void {
  if (name === '__proto__') {
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  } else {
    target[name] = value;
  }
}

/** DynamoDB's limit on nested lists and maps. */
const MOST_LEVELS = 32;

export class MalformedValueError extends Error {}

/** The message completes "attribute x ...". */
export class EncodingError extends Error {}

export class TooLongError extends EncodingError {
  constructor(length: number, most: number) {
    super(`has ${length} characters; here it may have ${most}`);
  }
}

/**
 * Converts base64 text to bytes, because binary values are text in Lambda's events. Throws `MalformedValueError` for a
 * value that isn't in wire form or is nested too deeply, but doesn't check the digits of numbers.
 */
export function withBinaryAsBytes(value: AttributeValue, level = 0): AttributeValue {
  if (typeof value !== 'object' || value === null) throw new MalformedValueError('is no attribute value');
  if ('S' in value && typeof value.S === 'string') return value;
  if ('N' in value && typeof value.N === 'string') return value;
  if (level > MOST_LEVELS) throw new MalformedValueError(`is nested deeper than ${MOST_LEVELS} levels`);
  if ('M' in value && typeof value.M === 'object' && value.M !== null) {
    const copy: Item = {};
    for (const name of Object.keys(value.M)) setOwn(copy, name, withBinaryAsBytes(value.M[name]!, level + 1));
    return { M: copy };
  }
  if ('L' in value && Array.isArray(value.L)) return { L: value.L.map((entry) => withBinaryAsBytes(entry, level + 1)) };
  if ('SS' in value && isTextList(value.SS)) return value;
  if ('NS' in value && isTextList(value.NS)) return value;
  if ('B' in value && isBinary(value.B)) return { B: toBytes(value.B) };
  if ('BS' in value && Array.isArray(value.BS) && value.BS.every(isBinary)) return { BS: value.BS.map(toBytes) };
  if ('BOOL' in value && typeof value.BOOL === 'boolean') return value;
  if ('NULL' in value && value.NULL === true) return value;
  throw new MalformedValueError('is no attribute value');
}

export function isTextList(values: unknown): values is string[] {
  return Array.isArray(values) && values.every((value) => typeof value === 'string');
}

function isBinary(binary: unknown): boolean {
  return typeof binary === 'string' || binary instanceof Uint8Array;
}

function toBytes(binary: Uint8Array | string): Uint8Array {
  const bytes = typeof binary === 'string' ? bytesOfBase64(binary) : binary;
  if (bytes === undefined) throw new MalformedValueError('has binary data that is not base64');
  return bytes;
}

/** Returns undefined for invalid base64. `Buffer.from` alone would ignore the invalid characters. */
export function bytesOfBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? new Uint8Array(bytes) : undefined;
}

function base64Of(binary: Uint8Array | string): string {
  return typeof binary === 'string' ? binary : Buffer.from(binary).toString('base64');
}

/** Compares as DynamoDB does: ignores the order of sets, and compares numbers by value. */
export function sameValue(left: AttributeValue | undefined, right: AttributeValue | undefined): boolean {
  if (left === right) return true;
  if (left === undefined || right === undefined) return false;
  if ('S' in left) return 'S' in right && left.S === right.S;
  if ('N' in left) return 'N' in right && (left.N === right.N || canonicalNumber(left.N) === canonicalNumber(right.N));
  if ('M' in left) return 'M' in right && sameItem(left.M, right.M);
  if ('L' in left)
    return 'L' in right && left.L.length === right.L.length && left.L.every((value, i) => sameValue(value, right.L[i]));
  return canonicalText(left) === canonicalText(right);
}

export function sameItem(left: Item | undefined, right: Item | undefined): boolean {
  if (left === right) return true;
  if (left === undefined || right === undefined) return false;
  let more = 0;
  for (const name in left) {
    if (!sameValue(left[name], attributeOf(right, name))) return false;
    more += 1;
  }
  for (const _name in right) more -= 1;
  return more === 0;
}

/** Returns the same string for two values if and only if `sameValue` holds. */
export function canonicalText(value: AttributeValue): string {
  if ('N' in value) return `N${canonicalNumber(value.N)}`;
  if ('SS' in value) return `SS${JSON.stringify([...value.SS].sort())}`;
  if ('NS' in value) return `NS${JSON.stringify(value.NS.map(canonicalNumber).sort())}`;
  if ('B' in value) return `B${base64Of(value.B)}`;
  if ('BS' in value) return `BS${JSON.stringify(value.BS.map(base64Of).sort())}`;
  if ('L' in value) return `L[${value.L.map(canonicalText).join(',')}]`;
  if ('M' in value) {
    const names = Object.keys(value.M).sort();
    return `M{${names.map((name) => `${JSON.stringify(name)}:${canonicalText(value.M[name]!)}`).join(',')}}`;
  }
  return JSON.stringify(value);
}

/** The number `0.digits x 10^exponent`. For zero, `digits` is empty. */
export interface Decimal {
  negative: boolean;
  digits: string;
  exponent: number;
}

/** Longer strings would slow down the expression below; DynamoDB's numbers have at most 38 digits. */
const MOST_NUMBER_CHARACTERS = 400;
const DECIMAL = /^\s*([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?\s*$/;

export function parseDecimal(text: string): Decimal | undefined {
  const match = text.length > MOST_NUMBER_CHARACTERS ? null : DECIMAL.exec(text);
  if (match === null) return undefined;
  const whole = match[2] ?? '';
  const fraction = match[3] ?? '';
  if (whole === '' && fraction === '') return undefined;
  const all = whole + fraction;
  const leadingZeros = all.length - all.replace(/^0+/, '').length;
  const digits = all.replace(/^0+/, '').replace(/0+$/, '');
  if (digits === '') return { negative: false, digits: '', exponent: 0 };
  return { negative: match[1] === '-', digits, exponent: whole.length - leadingZeros + Number(match[4] ?? 0) };
}

export function compareNumbers(left: string, right: string): number | undefined {
  const [a, b] = [parseDecimal(left), parseDecimal(right)];
  if (a === undefined || b === undefined) return undefined;
  const [signA, signB] = [signOf(a), signOf(b)];
  if (signA !== signB || signA === 0) return signA - signB;
  if (a.exponent !== b.exponent) return signA * (a.exponent - b.exponent);
  if (a.digits === b.digits) return 0;
  return a.digits < b.digits ? -signA : signA;
}

function signOf({ negative, digits }: Decimal): number {
  if (digits === '') return 0;
  return negative ? -1 : 1;
}

function canonicalNumber(text: string): string {
  const decimal = parseDecimal(text);
  if (decimal === undefined) return text;
  return `${decimal.negative ? '-' : ''}${decimal.digits}e${decimal.exponent}`;
}

/** Computes the size as DynamoDB counts it: UTF-8 names plus values. The size of a number is approximate. */
export function itemSizeBytes(item: Item): number {
  let size = 0;
  for (const name of Object.keys(item)) size += Buffer.byteLength(name) + valueSizeBytes(item[name]!);
  return size;
}

export function isItemWithinBytes(item: Item, limitBytes: number): boolean {
  return itemBoundBytes(item) <= limitBytes || itemSizeBytes(item) <= limitBytes;
}

/** An upper bound, which is faster to compute than the size: a UTF-16 unit takes at most three bytes. */
function itemBoundBytes(item: Item): number {
  let bound = 0;
  for (const name in item) {
    const value = item[name]!;
    bound += name.length * 3 + 4;
    if ('S' in value) bound += value.S.length * 3;
    else if ('M' in value) bound += itemBoundBytes(value.M);
    else bound += valueSizeBytes(value);
  }
  return bound;
}

function valueSizeBytes(value: AttributeValue): number {
  if ('S' in value) return Buffer.byteLength(value.S);
  if ('N' in value) return numberSizeBytes(value.N);
  if ('B' in value) return value.B.length;
  if ('SS' in value) return value.SS.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if ('NS' in value) return value.NS.reduce((sum, text) => sum + numberSizeBytes(text), 0);
  if ('BS' in value) return value.BS.reduce((sum, bytes) => sum + bytes.length, 0);
  if ('L' in value) return 3 + value.L.reduce((sum, entry) => sum + 1 + valueSizeBytes(entry), 0);
  if ('M' in value) return 3 + Object.keys(value.M).length + itemSizeBytes(value.M);
  return 1;
}

/**
 * Counts one byte, another for a minus sign, and one per pair of digits. Pairs begin at the decimal point, as in
 * DynamoDB Local: 12 has one pair, 1.2 and 120 have two.
 */
export function numberSizeBytes(text: string): number {
  const decimal = parseDecimal(text);
  if (decimal === undefined) return text.length;
  const { digits, exponent, negative } = decimal;
  const pairs = Math.ceil((digits.length + Math.abs(exponent % 2)) / 2);
  return pairs + 1 + (negative ? 1 : 0);
}
