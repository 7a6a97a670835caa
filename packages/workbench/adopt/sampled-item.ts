import { attributeOf, type Item, numberOf, stringOf } from '../../../src/core/items/attribute-value.ts';

/** An item of a sample as the inference sees it. */
export interface SampledItem {
  source: string;
  target: string;
  item: Item;
  /** Its attributes besides the keys that are texts or numbers, as texts: the first ones of very many. */
  texts: ReadonlyMap<string, string>;
  /** These texts in small letters, without that of the mark. */
  folded: ReadonlySet<string>;
  /** The names of its attributes besides the keys. */
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
/** The attribute of ElectroDB's items that has the version of their entity. */
const ENTITY_VERSION = '__edb_v__';
/** The most characters of a text that may be an id. */
const MOST_CHARACTERS = 1_024;

/** The texts of an item that are looked at: each of them may be an id of any type. */
const MOST_TEXTS = 100;

/** An item of the table as the inference sees it; undefined where its keys are no texts. */
export function sampledItem(item: Item, partitionKey: string, sortKey: string): SampledItem | undefined {
  const [source, target] = [stringOf(attributeOf(item, partitionKey)), stringOf(attributeOf(item, sortKey))];
  if (source === undefined || target === undefined) return undefined;
  const names = Object.keys(item).filter((name) => name !== partitionKey && name !== sortKey);
  const texts = new Map<string, string>();
  for (const name of [...MARKS, ENTITY_VERSION, ...names]) {
    if (texts.size === MOST_TEXTS) break;
    const text = stringOf(attributeOf(item, name)) ?? numberOf(attributeOf(item, name));
    if (text !== undefined && text !== '' && text.length <= MOST_CHARACTERS) texts.set(name, text);
  }
  const attribute = MARKS.find((name) => isTypeText(stringOf(attributeOf(item, name))));
  const folded = new Set([...texts].flatMap(([name, text]) => (name === attribute ? [] : text.toLowerCase())));
  return { source, target, item, texts, folded, names, mark: attribute && { attribute, value: texts.get(attribute)! } };
}

/** The attributes that tell that an item is of the type of a group: the mark, and what the library writes with it. */
export function marksOfGroup(items: readonly SampledItem[]): Record<string, string> | undefined {
  const [first] = items;
  if (first?.mark === undefined) return undefined;
  const { attribute, value } = first.mark;
  const marks: Record<string, string> = { [attribute]: value };
  const version = first.texts.get(ENTITY_VERSION);
  const isShared = items.every(({ texts }) => texts.get(ENTITY_VERSION) === version);
  if (attribute === '__edb_e__' && version !== undefined && isShared) marks[ENTITY_VERSION] = version;
  return marks;
}

/** Whether ElectroDB has written an item. */
export function isOfElectroDb({ mark }: SampledItem): boolean {
  return mark?.attribute === '__edb_e__';
}

function isTypeText(text: string | undefined): boolean {
  return text !== undefined && /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/.test(text);
}
