import { type AttributeValue, type Item, numberOf, sameValue, setOwn } from './attribute-value.ts';

/**
 * A DynamoDB number that a JS number can't hold exactly. `value` is the decimal text, up to 38 digits; the writer
 * writes it back unchanged.
 */
export class ExactNumber {
  readonly value: string;

  /** `value`: decimal text such as `12345678901234567890.5`. */
  constructor(value: string) {
    this.value = value;
  }

  toString(): string {
    return this.value;
  }

  toJSON(): string {
    return this.value;
  }
}

/** The decimal text of a bigint, an `ExactNumber`, or the document client's `NumberValue`; otherwise undefined. */
export function numberTextOf(value: unknown): string | undefined {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return undefined;
  if (value instanceof ExactNumber) return value.value;
  const isOfClass = Object.getPrototypeOf(value) !== Object.prototype && 'toAttributeValue' in value;
  if (!isOfClass || typeof value.toAttributeValue !== 'function') return undefined;
  return numberOf(value.toAttributeValue() as AttributeValue);
}

/** Converts number text; the default is `exactNumber`. */
export type NumberReader = (text: string) => unknown;

/** False for infinite numbers and unsafe integers: a larger integer is usually another number that was rounded. */
export function isStorable(number: number): boolean {
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
}

/** A JS number if the writer writes it back as the same number, otherwise an `ExactNumber`. */
export function exactNumber(text: string): number | ExactNumber {
  const number = Number(text);
  const shortest = String(number);
  const isSame = isStorable(number) && (shortest === text || sameValue({ N: shortest }, { N: text }));
  return isSame ? number : new ExactNumber(text);
}

/** Sets become `Set`, binary `Uint8Array`, maps plain objects. */
export function toPlain(value: AttributeValue, readNumber: NumberReader = exactNumber): unknown {
  if ('S' in value) return value.S;
  if ('N' in value) return readNumber(value.N);
  if ('BOOL' in value) return value.BOOL;
  if ('NULL' in value) return null;
  if ('M' in value) return toPlainItem(value.M, readNumber);
  if ('L' in value) return value.L.map((entry) => toPlain(entry, readNumber));
  if ('SS' in value) return new Set(value.SS);
  if ('NS' in value) return new Set(value.NS.map(readNumber));
  if ('BS' in value) return new Set(value.BS);
  return value.B;
}

/**
 * Safe for attributes named `__proto__`: inside maps they are data; at the top of an item the SDK reads them as
 * undefined, so they are left out.
 */
export function toPlainItem(item: Item, readNumber: NumberReader = exactNumber): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [name, value] of Object.entries<AttributeValue | undefined>(item)) {
    if (value !== undefined) setOwn(plain, name, toPlain(value, readNumber));
  }
  return plain;
}
