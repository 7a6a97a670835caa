import { attributeOf, type Item, numberOf, stringOf } from '../../../src/core/items/attribute-value.ts';

/** An item of a sample as the inference sees it. */
export interface SampledItem {
  item: Item;
  /** Its keys as texts; without a sort key the second one is empty. */
  keys: readonly [partition: string, sort: string];
  /** Its attributes besides all keys that are texts or numbers, as texts: the first ones of very many. */
  texts: ReadonlyMap<string, string>;
  /** The key attributes of indexes that it has as texts. */
  indexKeys: ReadonlyMap<string, string>;
  /** The names of its attributes besides all keys. */
  names: readonly string[];
  /** The name of its type, where an attribute of a library has it. */
  mark: Mark | undefined;
}

/** An attribute by which a library tells the types of items apart, with its value. */
export interface Mark {
  attribute: string;
  value: string;
}

/** Attributes by which libraries tell types apart: ElectroDB, OneTable, DynamoDB-Toolbox, AppSync. */
const MARKS = ['__edb_e__', '_type', '_et', '__typename'] as const;
/** The attributes that tell types apart, and others that libraries add. */
export const OF_LIBRARIES: ReadonlySet<string> = new Set([...MARKS, '__edb_v__', '_ct', '_md']);
/** The most characters of a text that may be an id. */
const MOST_CHARACTERS = 1_024;
/** The texts of an item that are looked at: each of them may be an id of any type. */
const MOST_TEXTS = 100;

/**
 * An item of the table as the inference sees it; undefined where a key is neither text nor number.
 *
 * @param hidden the key attributes of the table's indexes: they hold keys, and no ids of their own.
 */
export function sampledItem(
  item: Item,
  [partitionKey, sortKey]: readonly [string, string?],
  hidden: ReadonlySet<string>,
): SampledItem | undefined {
  const textOf = (name: string): string | undefined =>
    stringOf(attributeOf(item, name)) ?? numberOf(attributeOf(item, name));
  const source = textOf(partitionKey);
  const target = sortKey === undefined ? '' : textOf(sortKey);
  if (source === undefined || target === undefined) return undefined;
  // Engines give attributes in any order.
  const names = Object.keys(item)
    .filter((name) => name !== partitionKey && name !== sortKey && !hidden.has(name))
    .sort();
  const texts = new Map<string, string>();
  for (const name of names) {
    if (texts.size === MOST_TEXTS) break;
    const text = OF_LIBRARIES.has(name) ? undefined : textOf(name);
    if (text !== undefined && text !== '' && text.length <= MOST_CHARACTERS) texts.set(name, text);
  }
  const indexKeys = new Map([...hidden].map((name): [string, string] => [name, textOf(name) ?? '']));
  const attribute = MARKS.find((name) => isTypeText(stringOf(attributeOf(item, name))));
  return {
    ...{ item, keys: [source, target], texts, indexKeys, names },
    mark: attribute && { attribute, value: stringOf(attributeOf(item, attribute))! },
  };
}

/** Says if a text may be the name of a type. */
export function isTypeText(text: string | undefined): text is string {
  return text !== undefined && /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/.test(text);
}
