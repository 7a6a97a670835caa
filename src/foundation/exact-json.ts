import { isLosslessNumber, LosslessNumber, stringify } from 'lossless-json';

export function losslessNumber(text: string): LosslessNumber {
  return new LosslessNumber(text);
}

/** Sets become sorted arrays, because engines return them in any order. Binary values become base64 text. */
export function toJson(value: unknown): string {
  return stringify(plainJson(value)) ?? 'null';
}

function plainJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || isLosslessNumber(value)) return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof Set) return sorted([...value].map(plainJson));
  if (Array.isArray(value)) return value.map(plainJson);
  if ('toJSON' in value && typeof value.toJSON === 'function') return plainJson(value.toJSON());
  const copy: Record<string, unknown> = Object.create(null);
  for (const [name, entry] of Object.entries(value)) copy[name] = plainJson(entry);
  return copy;
}

function sorted(values: readonly unknown[]): unknown[] {
  const byText = new Map(values.map((value) => [stringify(value) ?? '', value]));
  return [...byText.keys()].sort().map((text) => byText.get(text));
}
