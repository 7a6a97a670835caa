import {
  type AttributeValue,
  attributeOf,
  type Item,
  itemSizeBytes,
  numberOf,
  stringOf,
  typeOf,
} from '../../../core/items/attribute-value.ts';
import { typeName } from '../../../core/items/encoding.ts';
import { TARGET_ID } from '../../../core/items/hashed-key.ts';
import { describe } from '../../../core/items/keys.ts';
import type { Problem } from '../../../core/kinds/parts/subject.ts';
import { type CompiledModel, indexKeysOf } from '../../../core/model/compiled.ts';
import { endingOf } from '../../../core/model/ends.ts';
import { MIRROR } from '../../../core/model/mirrored.ts';
import { nativeIndexes } from '../../../core/model/native-indexes.ts';
import { faultOfNativeKey } from '../../../core/model/native-misfits.ts';
import { problemsOfImage } from '../../../core/plan/derive.ts';
import type { ItemKey } from '../../../core/store-port.ts';
import { docsPage } from '../../../foundation/docs.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import { checkBaseKey, writableKey } from './key.ts';
import { checkMaxEntries } from './max-entries.ts';
import { AttributeError, itemName, withItemName } from './problem.ts';
import { checkAttributes } from './value.ts';
import { toWireItem } from './values.ts';

export const ITEM_BYTES = 400 * 1024;

/**
 * Throws for an item that DynamoDB would refuse, that the projector would quarantine, or that breaks a rule of the
 * model, such as `maxEntries` or a mirrored type. Doesn't run `fields` validators.
 */
export function checkBaseItem(graph: CompiledModel, item: Item): void {
  const { partitionKey, sortKey: sortKeyName } = graph.table;
  const source = keyText(item, partitionKey, sortKeyName);
  const sortKey = keyText(item, sortKeyName, partitionKey);
  checkBaseKey(graph, source, sortKey, item);
  writableKey(graph, { source, target: sortKey });
  checkContents(graph, source, sortKey, item);
}

/**
 * Converts a plain object `{ source, target, …attributes }` with JavaScript values to a base item, and checks it as
 * `checkBaseItem` does.
 */
export function toBaseItem(graph: CompiledModel, plain: Readonly<Record<string, unknown>>): Item {
  const { partitionKey, sortKey } = graph.table;
  const source = Object.hasOwn(plain, partitionKey) ? plain[partitionKey] : undefined;
  const target = Object.hasOwn(plain, sortKey) ? plain[sortKey] : undefined;
  const targetId = Object.hasOwn(plain, TARGET_ID) ? plain[TARGET_ID] : undefined;
  checkBaseKey(graph, source, target, typeof targetId === 'string' ? { [TARGET_ID]: { S: targetId } } : {});
  const key = { source: source as string, target: target as string };
  writableKey(graph, key);
  return toItemOfKey(graph, key, plain);
}

/** Callers must check the key. */
export function toItemOfKey(graph: CompiledModel, { source, target }: ItemKey, attributes: object): Item {
  const item = withItemName(source, target, () => toWireItem(attributes));
  item[graph.table.partitionKey] = { S: source };
  item[graph.table.sortKey] = { S: target };
  checkContents(graph, source, target, item);
  return item;
}

/**
 * Checks an item that lacks some attributes. The model's functions may need the missing ones, so errors of these
 * functions don't count.
 */
export function checkPartialItem(graph: CompiledModel, item: Item): void {
  const { partitionKey, sortKey } = graph.table;
  const source = keyText(item, partitionKey, sortKey);
  const target = keyText(item, sortKey, partitionKey);
  checkContents(graph, source, target, item, (problem) => problem.code !== 'derive-failed');
}

function checkContents(
  graph: CompiledModel,
  source: string,
  sortKey: string,
  item: Item,
  counts: (problem: Problem) => boolean = () => true,
): void {
  withItemName(source, sortKey, () => {
    checkAttributes(item);
    checkReserved(graph, item);
    checkNativeKeys(graph, item);
    checkEnd(graph, source, sortKey, item);
  });
  // Check entries before the size: if an item exceeds both, the error about entries is more helpful.
  checkMaxEntries(graph, source, sortKey, item);
  checkSize(source, sortKey, item);
  const problems = problemsOfImage(graph, source, sortKey, item).filter(counts);
  if (problems.length > 0) throw projectionError(source, sortKey, problems);
}

export function checkSize(source: string, sortKey: string, item: Item): void {
  const bytes = itemSizeBytes(item);
  if (bytes <= ITEM_BYTES) return;
  throw new EdgeloomError(
    'item-too-large',
    `${itemName(source, sortKey)} has ${bytes} bytes, most of them in attribute ${largestAttribute(item)}; DynamoDB allows ${ITEM_BYTES} (400 KB).`,
    'Store large values elsewhere and keep their address here, or split the item.',
  );
}

function keyText(item: Item, name: string, otherName: string): string {
  const value = attributeOf(item, name);
  const text = stringOf(value);
  if (text !== undefined) return text;
  const other = describe(stringOf(attributeOf(item, otherName)) ?? 'none');
  throw new EdgeloomError(
    'invalid-key',
    `Attribute ${name} of the item with ${otherName} ${other} ${value === undefined ? 'is missing' : 'is not a string'}.`,
    'Every item has its two keys as strings.',
  );
}

function checkReserved(graph: CompiledModel, item: Item): void {
  if (Object.hasOwn(item, '__proto__')) {
    const hint = 'Rename it, or put it into a map: inside one the name is fine.';
    throw new AttributeError('__proto__', 'has a name whose value the AWS SDK for JavaScript loses on reading', hint);
  }
  if (Object.hasOwn(item, MIRROR)) {
    throw new AttributeError(MIRROR, 'is the bookkeeping of a mirror', 'Rename it.');
  }
  for (const index of graph.indexes) {
    const { partition, sort } = indexKeysOf(graph.table)[index];
    const hint = 'Rename it: the keys of the indexes belong to derived items.';
    for (const name of [partition, sort]) {
      const value = attributeOf(item, name);
      if (value !== undefined && !stringOf(value)) {
        throw new AttributeError(name, `is a key of ${index}, which takes only texts that are not empty`, hint);
      }
    }
    if (Object.hasOwn(item, partition) && Object.hasOwn(item, sort)) {
      throw new AttributeError(partition, `together with ${sort} would put the base item into ${index}`, hint);
    }
  }
}

/** Checks that the model allows numbers in these attributes. The numbers themselves aren't known yet. */
export function checkMayBeNumbers(
  graph: CompiledModel,
  { source, target }: ItemKey,
  names: readonly string[],
  hashedTarget: string | undefined,
): void {
  const numbers: Item = Object.fromEntries(names.map((name): [string, AttributeValue] => [name, { N: '0' }]));
  withItemName(source, target, () => checkNativeKeys(graph, numbers));
  const image = hashedTarget === undefined ? numbers : { ...numbers, [TARGET_ID]: { S: hashedTarget } };
  // The model's functions may need the other attributes, so their errors don't count.
  const problems = problemsOfImage(graph, source, target, image).filter(
    ({ code, attribute }) => code === 'wrong-type' && attribute !== undefined && names.includes(attribute),
  );
  if (problems.length > 0) throw projectionError(source, target, problems);
}

function checkNativeKeys(graph: CompiledModel, item: Item): void {
  for (const index of nativeIndexes(graph)) {
    const value = attributeOf(item, index.attribute);
    const fault = value && faultOfNativeKey(index, value);
    if (fault === undefined) continue;
    throw new AttributeError(
      index.attribute,
      `is a key of the native index ${index.name}, which takes only ${fault.expected}, but ${fault.found}`,
      'DynamoDB refuses every item with another value. Leave the attribute out, or leave native out of the model.',
    );
  }
}

/**
 * A time in the year 5138. The same number of milliseconds is a time in 1973, so a larger value is probably in
 * milliseconds.
 */
const MOST_SECONDS = 99_999_999_999;
/** A time in 2017. DynamoDB's TTL never deletes items that ended more than five years ago. */
const LEAST_SECONDS = 1_500_000_000;

export function boundsOfEnd(
  graph: CompiledModel,
  { source, target }: ItemKey,
): { attribute: string; least: number; most: number } | undefined {
  const { expires } = endingOf(graph, source, target) ?? {};
  if (expires === undefined) return undefined;
  // Only the table's own TTL needs this bound, because the source's TTL deletes mirrored items.
  return { attribute: expires, least: expires === graph.table.ttl ? LEAST_SECONDS : 0, most: MOST_SECONDS };
}

function checkEnd(graph: CompiledModel, source: string, sortKey: string, item: Item): void {
  const bounds = boundsOfEnd(graph, { source, target: sortKey });
  const value = bounds && attributeOf(item, bounds.attribute);
  if (value === undefined || 'NULL' in value) return;
  const seconds = Number(numberOf(value));
  const isWhole = Number.isInteger(seconds) && seconds >= 0;
  if (isWhole && seconds >= bounds!.least && seconds <= MOST_SECONDS) return;
  throw new AttributeError(bounds!.attribute, ...mistakeOfEnd(isWhole, seconds, describeValue(value)));
}

function mistakeOfEnd(isWhole: boolean, seconds: number, value: string): [reason: string, hint: string] {
  const needed = 'is the time at which the item ends, a whole number of seconds since 1970';
  const remedy = 'Give Math.floor(date.getTime() / 1000), or leave it out: then the item stays.';
  if (!isWhole) return [`${needed}, but is ${value}`, remedy];
  if (seconds > MOST_SECONDS) return [`${needed}, but is ${value}, as if in milliseconds`, `Milliseconds? ${remedy}`];
  return [
    `${needed}, but is ${value}, a time before 2017: DynamoDB's TTL would never delete the item, which no read shows`,
    `Delete the item to end it at once. ${remedy}`,
  ];
}

function describeValue(value: AttributeValue): string {
  const text = stringOf(value);
  return text === undefined ? (numberOf(value) ?? typeName(typeOf(value))) : `the string ${describe(text)}`;
}

function largestAttribute(item: Item): string {
  const sizes = Object.keys(item).map((name): [string, number] => [name, itemSizeBytes({ [name]: item[name]! })]);
  return describe(sizes.reduce((largest, one) => (one[1] > largest[1] ? one : largest))[0]);
}

const HINTS: Readonly<Record<Problem['code'], string>> = {
  misfit: 'Correct the ids, or let the edge type join these node types in the model.',
  'edge-between-tenants': 'Join nodes of one tenant.',
  'wrong-type': 'Write the attribute as the model declares it, or leave it out.',
  'undeclared-label': 'Use a declared label, or declare this one in the model.',
  malformed: 'Give the attribute a value of one of the types of DynamoDB.',
  'derive-failed': 'Correct the attributes, or the derive function in the model.',
  'key-too-long': 'Shorten the value or the id.',
  'item-too-large': 'Shorten the attributes, or project fewer of them.',
  'out-of-bounds': `Keep the values of a total within the bounds of ${docsPage('totals')}.`,
  'too-many-values': 'Keep fewer values in the list or set, or search for them as nodes of their own.',
};

function hintOf({ code, attribute }: Problem): string {
  const isOfDerive = code === 'wrong-type' && attribute === undefined;
  return isOfDerive
    ? 'Let the derive function in the model return valid Unicode: [...text][0], not text.charAt(0).'
    : HINTS[code];
}

function projectionError(source: string, sortKey: string, problems: readonly Problem[]): EdgeloomError {
  const messages = problems.map(({ message }) => message).join('; ');
  const hints = new Set(problems.map(hintOf));
  return new EdgeloomError('invalid-attribute', `${itemName(source, sortKey)}: ${messages}.`, [...hints].join(' '));
}
