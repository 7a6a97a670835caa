import { types } from 'node:util';
import { type AttributeValue, type Item, setOwn } from '../../../core/items/attribute-value.ts';
import { isStorable, numberTextOf } from '../../../core/items/plain.ts';
import { AttributeError, entryPath } from './problem.ts';
import { checkNesting, emptySetError, STORED_NESTING } from './value.ts';

/**
 * Replaces the SDK's `marshall`, which fails on an attribute named `constructor`, loses `__proto__`, drops functions,
 * turns numbers of a mixed set into strings, and names no attribute in its errors.
 */
export function toWireItem(attributes: object, path = '', depth = 0): Item {
  const item: Item = {};
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) setOwn(item, name, toWire(value, entryPath(path, name), depth));
  }
  return item;
}

/** Also accepts objects from other realms, whose prototype is another `Object.prototype`. */
export function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function toWire(value: unknown, path: string, depth: number): AttributeValue {
  if (value === null) return { NULL: true };
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'boolean') return { BOOL: value };
  const number = numberText(value, path);
  if (number !== undefined) return { N: number };
  const binary = bytesOf(value);
  if (binary !== undefined) return { B: binary };
  if (types.isSet(value)) return toWireSet([...value], path);
  if (Array.isArray(value)) {
    checkNesting(path, depth + 1, STORED_NESTING);
    return { L: Array.from(value, (entry: unknown, i) => toWire(entry, `${path}[${i}]`, depth + 1)) };
  }
  if (isPlainObject(value)) {
    checkNesting(path, depth + 1, STORED_NESTING);
    return { M: toWireItem(value, path, depth + 1) };
  }
  throw new AttributeError(path, `is ${kindOf(value)}, which DynamoDB cannot hold`, hintFor(value));
}

function numberText(value: unknown, path: string): string | undefined {
  if (typeof value !== 'number') return numberTextOf(value);
  if (!Number.isFinite(value)) {
    throw new AttributeError(path, `is ${value}`, 'NaN and infinity cannot be stored: leave the attribute out.');
  }
  if (!isStorable(value)) {
    throw new AttributeError(
      path,
      `is ${value}, a whole number beyond those that JavaScript holds exactly`,
      'Give it as a bigint or as new ExactNumber("…").',
    );
  }
  return String(value);
}

function bytesOf(value: unknown): Uint8Array | undefined {
  if (types.isUint8Array(value)) return value;
  return types.isArrayBuffer(value) ? new Uint8Array(value) : undefined;
}

function toWireSet(elements: unknown[], path: string): AttributeValue {
  if (elements.length === 0) throw emptySetError(path);
  const texts = elements.filter((element) => typeof element === 'string');
  if (texts.length === elements.length) return { SS: texts };
  const binaries = elements.map(bytesOf).filter((element) => element !== undefined);
  if (binaries.length === elements.length) return { BS: binaries };
  const numbers = elements.map((element) => numberText(element, path)).filter((element) => element !== undefined);
  if (numbers.length === elements.length) return { NS: numbers };
  throw new AttributeError(
    path,
    'is a set of mixed or unfit elements',
    'A set holds texts only, numbers only, or binaries only: use an array for others.',
  );
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'undefined';
  if (typeof value !== 'object') return `a ${typeof value}`;
  const name = (value as { constructor?: { name?: unknown } }).constructor?.name;
  return typeof name === 'string' && name !== '' ? `an instance of ${name}` : 'an object';
}

function hintFor(value: unknown): string {
  if (value === undefined) return 'Use null, or leave the element out.';
  if (types.isDate(value)) return 'Give dates as ISO 8601 text: date.toISOString().';
  if (types.isMap(value)) return 'Give maps as plain objects: Object.fromEntries(map).';
  return 'Use text, number, bigint, ExactNumber, boolean, null, Uint8Array, Set, array or plain object.';
}
