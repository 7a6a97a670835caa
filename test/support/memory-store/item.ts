import { StoreError } from '../../../src/errors.ts';
import {
  type AttributeValue,
  canonicalText,
  type Decimal,
  type Item,
  itemSizeBytes,
  parseDecimal,
  setOwn,
} from '../../../src/items/attribute-value.ts';

/**
 * Items of the memory store: checked and copied on the way in, copied on the way out. What DynamoDB refuses with a
 * ValidationException is refused here with the same terminal `StoreError`.
 */

const ITEM_BYTES = 400 * 1024;
const MAX_NESTING = 32;
const MAX_DIGITS = 38;
const MAX_EXPONENT = 126;
const MIN_EXPONENT = -129;

/** An item as it is stored: never changed, only replaced, so that its size is counted once. */
export interface StoredItem {
  readonly source: string;
  readonly target: string;
  readonly item: Item;
  readonly sizeBytes: number;
}

/** What DynamoDB answers to input that it will never accept. */
export function refused(message: string): StoreError {
  return new StoreError('terminal', 'ValidationException', `The memory store refused the call: ${message}.`);
}

/** The stored form of an item that was copied in. Throws where it is larger than 400 KB. */
export function storedItem(source: string, target: string, item: Item): StoredItem {
  const sizeBytes = itemSizeBytes(item);
  if (sizeBytes > ITEM_BYTES) throw refused(`the item has ${sizeBytes} bytes, more than ${ITEM_BYTES}`);
  return { source, target, item, sizeBytes };
}

/** A checked copy of an item or a map in it, numbers in the form in which DynamoDB gives them back. */
export function copyIn(item: Item, depth = 0): Item {
  const copy: Item = {};
  for (const name of Object.keys(item)) {
    if (name === '') throw refused('an attribute has an empty name');
    setOwn(copy, name, copyValueIn(item[name]!, depth));
  }
  return copy;
}

function copyValueIn(value: AttributeValue, depth: number): AttributeValue {
  if ('S' in value) return { S: value.S };
  if ('N' in value) return { N: normalNumber(value.N) };
  if ('BOOL' in value) return { BOOL: value.BOOL };
  if ('NULL' in value) {
    if (value.NULL !== true) throw refused('a null has another value than true');
    return { NULL: true };
  }
  if ('B' in value) return { B: value.B.slice() };
  if ('M' in value || 'L' in value) {
    if (depth + 1 >= MAX_NESTING) throw refused(`a value is nested in more than ${MAX_NESTING} levels`);
    if ('L' in value) return { L: value.L.map((entry) => copyValueIn(entry, depth + 1)) };
    return { M: copyIn(value.M, depth + 1) };
  }
  return copySetIn(value);
}

function copySetIn(value: Extract<AttributeValue, { SS: string[] } | { NS: string[] } | { BS: Uint8Array[] }>) {
  if ('SS' in value) {
    checkSet(value.SS);
    return { SS: [...value.SS] };
  }
  if ('NS' in value) {
    const numbers = value.NS.map(normalNumber);
    checkSet(numbers);
    return { NS: numbers };
  }
  checkSet(value.BS.map((bytes) => canonicalText({ B: bytes })));
  return { BS: value.BS.map((bytes) => bytes.slice()) };
}

/** Sets hold something, and nothing twice. */
export function checkSet(elements: readonly string[]): void {
  if (elements.length === 0) throw refused('a set is empty');
  if (new Set(elements).size !== elements.length) throw refused('a set holds an element twice');
}

/** A copy of a stored item for the caller, who may change it. */
export function copyOut(item: Item): Item {
  const copy: Item = {};
  for (const name of Object.keys(item)) setOwn(copy, name, copyValueOut(item[name]!));
  return copy;
}

function copyValueOut(value: AttributeValue): AttributeValue {
  if ('S' in value) return { S: value.S };
  if ('N' in value) return { N: value.N };
  if ('M' in value) return { M: copyOut(value.M) };
  if ('SS' in value) return { SS: [...value.SS] };
  if ('L' in value) return { L: value.L.map(copyValueOut) };
  if ('NS' in value) return { NS: [...value.NS] };
  if ('B' in value) return { B: value.B.slice() };
  if ('BS' in value) return { BS: value.BS.map((bytes) => bytes.slice()) };
  return { ...value };
}

/** The decimal text in which DynamoDB gives a number back: no exponent, no needless zeros. */
export function normalNumber(text: string): string {
  // Most numbers are small counters, which are normal already.
  if (/^[1-9]\d{0,14}$/.test(text)) return text;
  const decimal = /\s/.test(text) ? undefined : parseDecimal(text);
  if (decimal === undefined) throw refused(`${JSON.stringify(text)} is not a number`);
  return decimalText(decimal);
}

function decimalText({ negative, digits, exponent }: Decimal): string {
  if (digits === '') return '0';
  if (digits.length > MAX_DIGITS) throw refused(`a number has more than ${MAX_DIGITS} significant digits`);
  if (exponent > MAX_EXPONENT || exponent < MIN_EXPONENT) throw refused('a number is out of range');
  const sign = negative ? '-' : '';
  if (exponent <= 0) return `${sign}0.${'0'.repeat(-exponent)}${digits}`;
  if (exponent >= digits.length) return sign + digits.padEnd(exponent, '0');
  return `${sign}${digits.slice(0, exponent)}.${digits.slice(exponent)}`;
}

/** The sum of two numbers, exact for any of DynamoDB's. */
export function sumOf(text: string, addend: string): string {
  if (/^\d{1,15}$/.test(text) && /^-?\d{1,15}$/.test(addend)) return String(Number(text) + Number(addend));
  const digits = Math.max(fractionOf(text), fractionOf(addend));
  const sum = scaled(text, digits) + scaled(addend, digits);
  const padded = (sum < 0n ? -sum : sum).toString().padStart(digits + 1, '0');
  const point = padded.length - digits;
  return normalNumber(`${sum < 0n ? '-' : ''}${padded.slice(0, point)}.${padded.slice(point)}`);
}

/** Digits behind the point of a number in normal form. */
function fractionOf(text: string): number {
  return text.split('.')[1]?.length ?? 0;
}

function scaled(text: string, digits: number): bigint {
  const [whole, fraction = ''] = text.replace('-', '').split('.');
  return BigInt(whole + fraction.padEnd(digits, '0')) * (text.startsWith('-') ? -1n : 1n);
}
