import { bytesOfBase64, numberSizeBytes } from '../../../src/core/items/attribute-value.ts';
import { compareKeys } from '../../../src/core/items/encoding.ts';
import { compareNumbers, normalNumber } from './numbers.ts';
import { invalid } from './refusal.ts';

export type ValueType = 'S' | 'N' | 'B' | 'BOOL' | 'NULL' | 'M' | 'L' | 'SS' | 'NS' | 'BS';

/** An immutable attribute value as it is sent, with bytes as base64. */
export type Value = { readonly [type in ValueType]?: unknown };

/** An item, or a map inside an item. */
export type Values = Readonly<Record<string, Value>>;

const TYPES: readonly string[] = ['S', 'N', 'B', 'BOOL', 'NULL', 'M', 'L', 'SS', 'NS', 'BS'];
const MOST_LEVELS = 32;

export function typeOf(value: Value): ValueType {
  for (const type in value) return type as ValueType;
  throw invalid('Supplied AttributeValue is empty, must contain exactly one of the supported datatypes');
}

/** Returns a string, number or bytes (as base64). */
export function textOf(value: Value): string {
  return value[typeOf(value)] as string;
}

export function checkedItem(given: unknown, level = 0): Values {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw invalid('A map of attributes is expected');
  const item: Record<string, Value> = Object.create(null) as Record<string, Value>;
  for (const [name, value] of Object.entries(given)) {
    if (name === '') throw invalid('One or more parameter values were invalid: An attribute name is empty');
    item[name] = checkedValue(value, level);
  }
  return item;
}

export function checkedValue(given: unknown, level = 0): Value {
  const types = typeof given === 'object' && given !== null ? Object.keys(given) : [];
  const [type] = types;
  if (type === undefined || types.length > 1 || !TYPES.includes(type)) {
    throw invalid('Supplied AttributeValue is empty, must contain exactly one of the supported datatypes');
  }
  const content = (given as Record<string, unknown>)[type];
  switch (type as ValueType) {
    case 'S':
      return { S: checkText(content) };
    case 'N':
      return { N: normalNumber(checkText(content)) };
    case 'B':
      return { B: checkBase64(content) };
    case 'BOOL':
      if (typeof content !== 'boolean') throw invalid('A BOOL is neither true nor false');
      return { BOOL: content };
    case 'NULL':
      if (content !== true)
        throw invalid(
          'One or more parameter values were invalid: Null attribute value types must have the value of true',
        );
      return { NULL: true };
    case 'M':
      return { M: checkedItem(content, nextLevel(level)) };
    case 'L':
      return { L: checkList(content).map((entry) => checkedValue(entry, nextLevel(level))) };
    case 'SS':
      return { SS: checkSet(checkList(content).map(checkText)) };
    case 'NS':
      return { NS: checkSet(checkList(content).map((entry) => normalNumber(checkText(entry)))) };
    case 'BS':
      return { BS: checkSet(checkList(content).map(checkBase64)) };
  }
}

function nextLevel(level: number): number {
  if (level + 1 >= MOST_LEVELS) throw invalid('Nesting Levels have exceeded supported limits');
  return level + 1;
}

function checkText(content: unknown): string {
  if (typeof content !== 'string') throw invalid('A text is expected as the value of an attribute');
  return content;
}

function checkBase64(content: unknown): string {
  const text = checkText(content);
  if (bytesOfBase64(text) === undefined) throw invalid('The value of a binary attribute is not base64');
  return text;
}

function checkList(content: unknown): unknown[] {
  if (!Array.isArray(content)) throw invalid('A list is expected as the value of an attribute');
  return content;
}

function checkSet(elements: readonly string[]): string[] {
  if (elements.length === 0) throw invalid('One or more parameter values were invalid: An set may not be empty');
  if (new Set(elements).size !== elements.length) {
    throw invalid('One or more parameter values were invalid: Input collection contains duplicates');
  }
  return [...elements];
}

/** Compares deeply. The order of a set's elements doesn't matter. */
export function sameValue(left: Value | undefined, right: Value | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  const type = typeOf(left);
  if (type !== typeOf(right)) return false;
  const [a, b] = [left[type], right[type]];
  if (type === 'M') return sameItem(a as Values, b as Values);
  if (type === 'L') {
    const [one, other] = [a as Value[], b as Value[]];
    return one.length === other.length && one.every((entry, i) => sameValue(entry, other[i]));
  }
  if (Array.isArray(a)) {
    const other = new Set(b as string[]);
    return a.length === other.size && a.every((element: string) => other.has(element));
  }
  return a === b;
}

export function sameItem(left: Values | undefined, right: Values | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  const names = Object.keys(left);
  return names.length === Object.keys(right).length && names.every((name) => sameValue(left[name], right[name]));
}

export function compareValues(left: Value, right: Value): number {
  const type = typeOf(left);
  const [a, b] = [textOf(left), textOf(right)];
  if (a === b) return 0;
  if (type === 'N') return compareNumbers(a, b);
  if (type === 'B') return Buffer.compare(Buffer.from(a, 'base64'), Buffer.from(b, 'base64'));
  return compareKeys(a, b);
}

export function sizeOf(item: Values): number {
  let size = 0;
  for (const [name, value] of Object.entries(item)) size += Buffer.byteLength(name) + valueSize(value);
  return size;
}

export function valueSize(value: Value): number {
  const type = typeOf(value);
  const content = value[type];
  switch (type) {
    case 'S':
      return Buffer.byteLength(content as string);
    case 'N':
      return numberSizeBytes(content as string);
    case 'B':
      return bytesOf(content as string);
    case 'BOOL':
    case 'NULL':
      return 1;
    case 'M':
      return 3 + Object.keys(content as Values).length + sizeOf(content as Values);
    case 'L':
      return 3 + (content as Value[]).reduce((sum, entry) => sum + 1 + valueSize(entry), 0);
    case 'SS':
      return (content as string[]).reduce((sum, element) => sum + Buffer.byteLength(element), 0);
    case 'NS':
      return (content as string[]).reduce((sum, element) => sum + numberSizeBytes(element), 0);
    case 'BS':
      return (content as string[]).reduce((sum, element) => sum + bytesOf(element), 0);
  }
}

function bytesOf(encoded: string): number {
  return Buffer.byteLength(encoded, 'base64');
}
