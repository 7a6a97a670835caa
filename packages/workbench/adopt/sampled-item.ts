import { attributeOf, type Item, numberOf, stringOf } from '../../../src/core/items/attribute-value.ts';

export interface SampledItem {
  item: Item;
  keys: readonly [partition: string, sort: string];
  /** Strings and numbers that may be ids, at most `MOST_TEXTS`. */
  texts: ReadonlyMap<string, string>;
  /** Index attributes that hold only keys, as text. */
  indexKeys: ReadonlyMap<string, string>;
  names: readonly string[];
  mark: Mark | undefined;
}

/** The attribute that names an item's type, set by a library or the table's own software. */
export interface Mark {
  attribute: string;
  value: string;
}

/** Marks of ElectroDB, OneTable, DynamoDB-Toolbox and AppSync. */
const MARKS = ['__edb_e__', '_type', '_et', '__typename'] as const;
/** Attributes that these libraries add. */
export const OF_LIBRARIES: ReadonlySet<string> = new Set([...MARKS, '__edb_v__', '_ct', '_md']);
const MOST_CHARACTERS = 1_024;
const MOST_TEXTS = 100;

/** @param hidden key attributes of indexes, which hold keys, not ids */
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
  // Sorted, because engines return attributes in different orders.
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

export function isTypeText(text: string | undefined): text is string {
  return text !== undefined && /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/.test(text);
}
