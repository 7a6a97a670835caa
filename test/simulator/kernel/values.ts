import type { AttributeValue, Item } from '../../../src/core/items/attribute-value.ts';
import type { ItemKey } from '../../../src/core/store-port.ts';

/** Small readings of attribute values, without a word of the product's. */

export function nameOf({ source, target }: ItemKey): string {
  return `${source}\n${target}`;
}

/** An item's keys as sentences and planted names have them. */
export function keysOf({ source, target }: ItemKey): string {
  return `${source} ${target}`;
}

export function textOf(value: AttributeValue | undefined): string {
  return value !== undefined && 'S' in value ? value.S : '';
}

export function numberOf(value: AttributeValue | undefined): string {
  return value !== undefined && 'N' in value ? value.N : '0';
}

export function setOf(value: AttributeValue | undefined): readonly string[] {
  return value !== undefined && 'SS' in value ? value.SS : [];
}

export function mapOf(value: AttributeValue | undefined): Item {
  return presentMap(value) ?? {};
}

export function presentMap(value: AttributeValue | undefined): Item | undefined {
  return value !== undefined && 'M' in value ? value.M : undefined;
}

/** Text that is equal for equal values, whatever the order of their names. */
export function stableText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  if (Array.isArray(value)) return `[${value.map((entry) => stableText(entry) || 'null').join()}]`;
  const entries = value as Readonly<Record<string, unknown>>;
  const names = Object.keys(entries).sort();
  const texts: string[] = [];
  for (const name of names) {
    if (entries[name] !== undefined) texts.push(`${JSON.stringify(name)}:${stableText(entries[name])}`);
  }
  return `{${texts.join()}}`;
}

export function sameText(left: unknown, right: unknown): boolean {
  return left === right || stableText(left ?? null) === stableText(right ?? null);
}

/** A plain value as DynamoDB has it; of the kinds that this world has. */
export function toItem(attributes: Readonly<Record<string, unknown>>): Item {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]): [string, AttributeValue] => {
      if (Array.isArray(value)) return [name, { L: value.map((entry) => ({ S: String(entry) })) }];
      if (typeof value === 'boolean') return [name, { BOOL: value }];
      return [name, typeof value === 'number' ? { N: decimalText(value) } : { S: String(value) }];
    }),
  );
}

/** A number as DynamoDB gives it: without an exponent. */
function decimalText(value: number): string {
  const text = String(value);
  return text.includes('e-') ? value.toFixed(20).replace(/0+$/, '') : text;
}

/** The plain values of an item, without its keys. */
export function fromItem(item: Item): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(item)) {
    if (name === 'source' || name === 'target') continue;
    if ('S' in value) plain[name] = value.S;
    else if ('N' in value) plain[name] = Number(value.N);
    else if ('BOOL' in value) plain[name] = value.BOOL;
    else if ('L' in value) plain[name] = value.L.map(textOf);
  }
  return plain;
}

/** Freezes what is stored: code under test that changes an item that it has read fails at once. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value) && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) frozen(inner);
  }
  return value;
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
