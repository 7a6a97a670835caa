import type { AttributeValue, Item } from '../../../src/core/items/attribute-value.ts';
import { exactOf, textOf } from './decimal.ts';

/** Freezes what is stored: code under test that changes an item that it has read fails at once. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value) && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) frozen(inner);
  }
  return value;
}

/** A text that is the same exactly for values that are the same to DynamoDB. */
export function fingerprint(value: AttributeValue | Item | undefined): string {
  if (value === undefined) return '';
  let known = fingerprints.get(value);
  if (known === undefined) {
    known = JSON.stringify(normal(value));
    if (Object.isFrozen(value)) fingerprints.set(value, known);
  }
  return known;
}

/** Of values that nobody changes any more. */
const fingerprints = new WeakMap<object, string>();
const sizes = new WeakMap<object, number>();

function normal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normal);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value as Record<string, unknown>);
  const [only] = entries;
  if (entries.length === 1 && only !== undefined) {
    const [name, inner] = only;
    if (name === 'N' && typeof inner === 'string') return { N: numberText(inner) };
    if (name === 'SS' && Array.isArray(inner)) return { SS: [...inner].sort() };
  }
  return entries.sort(([left], [right]) => (left < right ? -1 : 1)).map(([name, inner]) => [name, normal(inner)]);
}

/** Number text as DynamoDB gives it back. */
function numberText(text: string): string {
  const number = exactOf(text);
  return number === undefined ? text : textOf(number);
}

/** The order of keys: that of their bytes in UTF-8. Only where half a pair meets another unit does the order of the units differ. */
export function compareBytes(left: string, right: string): number {
  const end = Math.min(left.length, right.length);
  for (let i = 0; i < end; i += 1) {
    const [one, other] = [left.charCodeAt(i), right.charCodeAt(i)];
    if (one !== other) return isHalf(one) === isHalf(other) ? one - other : isHalf(one) ? 1 : -1;
  }
  return left.length - right.length;
}

function isHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

/** The text of a value; undefined where it is none. */
export function text(value: AttributeValue | undefined): string | undefined {
  return value !== undefined && 'S' in value ? value.S : undefined;
}

/** Bytes of an item, about as DynamoDB counts them. */
export function bytesOf(value: Item | AttributeValue): number {
  const known = sizes.get(value);
  if (known !== undefined) return known;
  let bytes = 0;
  for (const [name, inner] of Object.entries(value as Record<string, unknown>)) {
    bytes += Buffer.byteLength(name);
    if (typeof inner === 'string') bytes += Buffer.byteLength(inner);
    else if (Array.isArray(inner))
      for (const entry of inner) bytes += typeof entry === 'string' ? Buffer.byteLength(entry) : bytesOf(entry);
    else if (typeof inner === 'object' && inner !== null) bytes += bytesOf(inner as Item);
    else bytes += 1;
  }
  if (Object.isFrozen(value)) sizes.set(value, bytes);
  return bytes;
}
