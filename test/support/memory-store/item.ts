import * as numbers from '../../../packages/local/memory/numbers.ts';
import { Refusal } from '../../../packages/local/memory/refusal.ts';
import {
  type AttributeValue,
  canonicalText,
  type Item,
  itemSizeBytes,
  setOwn,
} from '../../../src/core/items/attribute-value.ts';
import { StoreError } from '../../../src/foundation/errors.ts';

/**
 * Items of the memory store: checked and copied on the way in, copied on the way out. What DynamoDB refuses with a
 * ValidationException is refused here with the same terminal `StoreError`.
 */

const ITEM_BYTES = 400 * 1024;
const MAX_NESTING = 32;

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
    const elements = value.NS.map(normalNumber);
    checkSet(elements);
    return { NS: elements };
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

/** The text in which DynamoDB gives a number back. Throws the store's error for what is no number, or too large. */
export function normalNumber(text: string): string {
  return asStoreError(() => numbers.normalNumber(text));
}

/** The exact sum of two numbers. Throws the store's error where it has too many digits. */
export function sumOf(text: string, addend: string): string {
  return asStoreError(() => numbers.sumOf(text, addend));
}

function asStoreError(make: () => string): string {
  try {
    return make();
  } catch (error) {
    throw error instanceof Refusal ? refused(error.message) : error;
  }
}
