import type { AttributeValue, Item } from '../../../src/items/attribute-value.ts';
import type { ItemKey } from '../../../src/store/port.ts';

/** Small readings of attribute values, without a word of the product's. */

export function nameOf({ source, target }: ItemKey): string {
  return `${source}\n${target}`;
}

export function textOf(value: AttributeValue | undefined): string {
  return value !== undefined && 'S' in value ? value.S : '';
}

export function numberOf(value: AttributeValue | undefined): string {
  return value !== undefined && 'N' in value ? value.N : '0';
}

export function setOf(value: AttributeValue | undefined): readonly string[] {
  if (value === undefined) return [];
  if ('SS' in value) return value.SS;
  return 'L' in value ? value.L.map(textOf) : [];
}

export function mapOf(value: AttributeValue | undefined): Item {
  return value !== undefined && 'M' in value ? value.M : {};
}

/** Text that is equal for equal values, whatever the order of their names. */
export function stableText(value: unknown): string {
  return JSON.stringify(value, (_name, entry: unknown) =>
    typeof entry === 'object' && entry !== null && !Array.isArray(entry)
      ? Object.fromEntries(Object.entries(entry).sort(([left], [right]) => (left < right ? -1 : 1)))
      : entry,
  );
}

export function sameText(left: unknown, right: unknown): boolean {
  return stableText(left ?? null) === stableText(right ?? null);
}

/** About what DynamoDB bills. */
export function byteSize(item: Item | undefined): number {
  return item === undefined ? 0 : JSON.stringify(item).length;
}

/** A plain value as DynamoDB has it; of the kinds that this world has. */
export function toItem(attributes: Readonly<Record<string, unknown>>): Item {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]): [string, AttributeValue] => {
      if (Array.isArray(value)) return [name, { L: value.map((entry) => ({ S: String(entry) })) }];
      return [name, typeof value === 'number' ? { N: String(value) } : { S: String(value) }];
    }),
  );
}

/** The plain values of an item, without its keys. */
export function fromItem(item: Item): Record<string, unknown> {
  const plain: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(item)) {
    if (name === 'source' || name === 'target') continue;
    if ('S' in value) plain[name] = value.S;
    else if ('N' in value) plain[name] = Number(value.N);
    else if ('L' in value) plain[name] = value.L.map(textOf);
  }
  return plain;
}
