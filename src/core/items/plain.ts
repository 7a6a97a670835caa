import { type AttributeValue, type Item, numberOf, sameValue, setOwn } from './attribute-value.ts';

/** A DynamoDB number that a JavaScript number can't hold exactly. `value` is its decimal string. */
export class ExactNumber {
  readonly value: string;

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

/** Also accepts the document client's `NumberValue`. */
export function numberTextOf(value: unknown): string | undefined {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return undefined;
  if (value instanceof ExactNumber) return value.value;
  const isOfClass = Object.getPrototypeOf(value) !== Object.prototype && 'toAttributeValue' in value;
  if (!isOfClass || typeof value.toAttributeValue !== 'function') return undefined;
  return numberOf(value.toAttributeValue() as AttributeValue);
}

/**
 * Converts a number from its decimal string. Default: to a JavaScript number or, if that would be inexact, an
 * `ExactNumber`.
 */
export type NumberReader = (text: string) => unknown;

/** Refuses unsafe integers, which are usually the result of rounding other numbers. */
export function isStorable(number: number): boolean {
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
}

/** Returns a JavaScript number only if the writer would store it as the same number. */
export function exactNumber(text: string): number | ExactNumber {
  const number = Number(text);
  const shortest = String(number);
  const isSame = isStorable(number) && (shortest === text || sameValue({ N: shortest }, { N: text }));
  return isSame ? number : new ExactNumber(text);
}

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

export function toPlainItem(item: Item, readNumber: NumberReader = exactNumber): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [name, value] of Object.entries<AttributeValue | undefined>(item)) {
    if (value !== undefined) setOwn(plain, name, toPlain(value, readNumber));
  }
  return plain;
}
