import {
  type AttributeValue,
  canonicalText,
  EncodingError,
  type Item,
  parseDecimal,
} from '../../../core/items/attribute-value.ts';
import { encodeNumber, isWellFormed, typeName } from '../../../core/items/encoding.ts';
import { describe } from '../../../core/items/keys.ts';
import { AttributeError, entryPath } from './problem.ts';

/**
 * DynamoDB allows 31 lists and maps around a value. The map into which the projector copies values takes one of them.
 */
const MAX_NESTING = 30;
/** Items of other producers may reach DynamoDB's limit, so updates accept their values. */
export const STORED_NESTING = 31;
const NAME_BYTES = 65_535;

export function checkAttributes(attributes: Item, path = '', depth = 0): void {
  for (const name of Object.keys(attributes)) {
    const inner = entryPath(path, name);
    checkAttributeName(name, inner);
    checkValue(attributes[name], inner, depth);
  }
}

export function checkNesting(path: string, depth: number, most = MAX_NESTING): void {
  if (depth <= most) return;
  throw new AttributeError(
    path,
    `is nested deeper than ${MAX_NESTING} lists and maps`,
    'DynamoDB allows 32 levels, of which projected copies need one: flatten the value.',
  );
}

function checkAttributeName(name: string, path: string): void {
  const bytes = Buffer.byteLength(name);
  if (name !== '' && isWellFormed(name) && bytes <= NAME_BYTES) return;
  const reason =
    name === ''
      ? 'has no name'
      : bytes > NAME_BYTES
        ? `has a name of ${bytes} bytes`
        : 'has a lone surrogate in its name';
  throw new AttributeError(path, reason, `Attribute names are valid Unicode of 1 to ${NAME_BYTES} bytes.`);
}

function checkValue(value: AttributeValue | undefined, path: string, depth: number): void {
  if (typeof value !== 'object' || value === null) throw notWireFormError(path);
  if ('S' in value) checkText(value.S, path);
  else if ('N' in value) checkNumber(value.N, path);
  else if ('BOOL' in value) requireKind(typeof value.BOOL === 'boolean', path);
  else if ('NULL' in value) requireKind(value.NULL === true, path);
  else if ('B' in value) requireKind(value.B instanceof Uint8Array, path);
  else if ('L' in value) {
    requireKind(Array.isArray(value.L), path);
    checkNesting(path, depth + 1);
    for (const [i, entry] of value.L.entries()) checkValue(entry, `${path}[${i}]`, depth + 1);
  } else if ('M' in value) {
    requireKind(typeof value.M === 'object' && value.M !== null && !Array.isArray(value.M), path);
    checkNesting(path, depth + 1);
    checkAttributes(value.M, path, depth + 1);
  } else checkSet(value, path);
}

function requireKind(holds: boolean, path: string): void {
  if (!holds) throw notWireFormError(path);
}

function notWireFormError(path: string): AttributeError {
  return new AttributeError(
    path,
    'is not a DynamoDB attribute value',
    'Values in wire form look like {"S":"text"} or {"N":"1"}.',
  );
}

function checkText(text: unknown, path: string): void {
  requireKind(typeof text === 'string', path);
  if (isWellFormed(text as string)) return;
  throw new AttributeError(
    path,
    `${describe(text)} holds a lone surrogate`,
    'It would be stored as another text: use valid Unicode, or binary.',
  );
}

function checkNumber(text: unknown, path: string): void {
  requireKind(typeof text === 'string', path);
  const number = text as string;
  if (/\s/.test(number) || parseDecimal(number) === undefined) {
    throw new AttributeError(
      path,
      `is ${describe(number)}, which is not a number`,
      'NaN and infinity cannot be stored.',
    );
  }
  try {
    encodeNumber(number);
  } catch (error) {
    if (!(error instanceof EncodingError)) throw error;
    throw new AttributeError(path, error.message, 'Store it as a string, or round it.');
  }
}

function checkSet(value: AttributeValue, path: string): void {
  const type = 'SS' in value ? 'SS' : 'NS' in value ? 'NS' : 'BS' in value ? 'BS' : undefined;
  if (type === undefined) throw notWireFormError(path);
  const elements: unknown = (value as Record<string, unknown>)[type];
  if (!Array.isArray(elements)) throw notWireFormError(path);
  if (elements.length === 0) throw emptySetError(path);
  const wrapped = elements.map((element) => ({ [type[0]!]: element }) as AttributeValue);
  for (const [i, element] of wrapped.entries()) checkValue(element, `${path}[${i}]`, 0);
  if (new Set(wrapped.map(canonicalText)).size === wrapped.length) return;
  throw new AttributeError(
    path,
    `is ${typeName(type)} with an element twice`,
    'The elements of a set are distinct; numbers are the same if their values are.',
  );
}

export function emptySetError(path: string): AttributeError {
  return new AttributeError(path, 'is an empty set', 'DynamoDB has none: leave the attribute out, or use a list.');
}
