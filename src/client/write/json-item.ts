import { isLosslessNumber, parse } from 'lossless-json';
import { type AttributeValue, bytesOfBase64, type Item, setOwn } from '../../core/items/attribute-value.ts';
import { describe } from '../../foundation/describe.ts';
import { EdgeloomError, messageOf } from '../../foundation/errors.ts';

/** Separate from the writer, so that commands can read JSON without loading the writer. */

export const ONE_ITEM = 'Give one JSON object on a line, such as {"source":"USER-U1","target":"USER-U1"}.';

export function parseLine(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw new EdgeloomError('invalid-json', `The text is not JSON: ${messageOf(error)}`, ONE_ITEM);
  }
  if (isRecord(value)) return value;
  throw new EdgeloomError('invalid-json', `The text should be a JSON object, but is ${describe(text)}`, ONE_ITEM);
}

export function refuseOtherFormats(line: Record<string, unknown>): void {
  const has = (...names: string[]): boolean => names.every((name) => Object.hasOwn(line, name));
  const isOnly = (...names: string[]): boolean => Object.keys(line).every((name) => names.includes(name));
  if (has('Keys', 'Metadata') && isOnly('Keys', 'Metadata', 'NewImage', 'OldImage')) {
    const hint = 'Export the table in full: aws dynamodb export-table-to-point-in-time --export-type FULL_EXPORT.';
    throw new EdgeloomError('invalid-json', 'is of an incremental export, which holds changes, not items', hint);
  }
  if (
    has('Items', 'Count') &&
    isOnly('Items', 'Count', 'ScannedCount', 'LastEvaluatedKey', 'NextToken', 'ConsumedCapacity')
  ) {
    const hint = "Write each item on a line of its own: jq -c '.Items[]'. Then import it with --format dynamodb.";
    throw new EdgeloomError('invalid-json', 'is the answer of a scan or query, which holds many items', hint);
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}

export function itemOfJson(text: string): Item {
  return itemOfPlainJson(parseLine(text));
}

export function itemOfPlainJson(line: Record<string, unknown>): Item {
  const item: Item = {};
  for (const [name, value] of Object.entries(line)) setOwn(item, name, valueOfPlainJson(value));
  return item;
}

function valueOfPlainJson(value: unknown): AttributeValue {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value === null) return { NULL: true };
  if (isLosslessNumber(value)) return { N: value.value };
  if (Array.isArray(value)) return { L: value.map(valueOfPlainJson) };
  return { M: itemOfPlainJson(value as Record<string, unknown>) };
}

/** Accepts `{"source":{"S":"GOAL-G1"},…}`, or a line of an export, `{"Item":{…}}`. */
export function dynamoDBItem(line: Record<string, unknown>): Item {
  const wrapped = Object.keys(line).length === 1 ? line['Item'] : undefined;
  const fields = isRecord(wrapped) && !isRecord(wrapped['S']) && typeof wrapped['S'] !== 'string' ? wrapped : line;
  const item: Item = {};
  for (const [name, value] of Object.entries(fields)) setOwn(item, name, fromDynamoDBJson(value, name));
  return item;
}

function fromDynamoDBJson(value: unknown, path: string): AttributeValue {
  const entries = isRecord(value) ? Object.entries(value) : [];
  const [type, content] = entries[0] ?? ['', undefined];
  const converted = entries.length === 1 ? fromTypedValue(type, content, path) : undefined;
  if (converted !== undefined) return converted;
  throw new EdgeloomError(
    'invalid-json',
    `attribute ${path} should be DynamoDB JSON such as {"S":"text"} or {"N":"1"}`,
    'Correct the attribute, or leave --format dynamodb out for plain JSON.',
  );
}

function fromTypedValue(type: string, content: unknown, path: string): AttributeValue | undefined {
  const texts =
    Array.isArray(content) && content.every((entry) => typeof entry === 'string') ? (content as string[]) : undefined;
  if (type === 'S' && typeof content === 'string') return { S: content };
  if (type === 'N' && typeof content === 'string') return { N: content };
  if (type === 'B' && typeof content === 'string') return { B: bytesOf(content, path) };
  if (type === 'BOOL' && typeof content === 'boolean') return { BOOL: content };
  if (type === 'NULL' && content === true) return { NULL: true };
  if (type === 'SS' && texts !== undefined) return { SS: texts };
  if (type === 'NS' && texts !== undefined) return { NS: texts };
  if (type === 'BS' && texts !== undefined) return { BS: texts.map((text) => bytesOf(text, path)) };
  if (type === 'L' && Array.isArray(content))
    return { L: content.map((entry, i) => fromDynamoDBJson(entry, `${path}[${i}]`)) };
  if (type !== 'M' || !isRecord(content)) return undefined;
  const map: Item = {};
  for (const [name, entry] of Object.entries(content)) setOwn(map, name, fromDynamoDBJson(entry, `${path}.${name}`));
  return { M: map };
}

function bytesOf(text: string, path: string): Uint8Array {
  const bytes = bytesOfBase64(text);
  if (bytes !== undefined) return bytes;
  throw new EdgeloomError(
    'invalid-json',
    `attribute ${path} should be base64 with padding, but is ${describe(text)}`,
    'Give the bytes as RFC 4648 says, such as "AQID".',
  );
}
