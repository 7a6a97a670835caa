import {
  type AttributeValue,
  type Item,
  isItemWithinBytes,
  itemSizeBytes,
  typeOf,
} from '../../../src/core/items/attribute-value.ts';
import { ATTRIBUTES, INDEX_KEYS, VALUE } from '../../../src/core/items/derived-item.ts';
import { indexSortKey, typeName } from '../../../src/core/items/encoding.ts';
import { hash128, type IndexPartitionKey, isWithinBytes, SORT_KEY_BYTES } from '../../../src/core/items/keys.ts';
import { AS_WRITTEN } from '../../../src/core/items/text-form.ts';
import type {
  InboundItem,
  InboundModel,
  InboundOrder,
  IndexName,
  Projection,
  SearchModel,
} from '../../../src/core/model/compiled.ts';
import { textFormOf } from '../../../src/core/model/options/option-tables.ts';
import { isHashedInKey, type OrderPlaces } from '../../../src/core/model/projection/index-places.ts';
import type { SearchPlaces } from '../../../src/core/model/projection/places.ts';
import { type Encoded, encode, encodeOrder } from './order.ts';
import { PartError, type Problem, part, type Subject } from './subject.ts';

/** The fields of index items: an edge's items in its orders, and a node's search items. */

/** DynamoDB's limit on an item, in bytes, less what an index item carries besides its fields. */
const ITEM_BYTES = 400 * 1024 - 4096;
/** The most items, and bytes of them, that a search makes of one attribute. */
const [SEARCH_VALUES, SEARCH_BYTES] = [5_000, 8 * 1024 * 1024] as const;

/** One index item of an edge with the keys of every order of it that applies; undefined where none does. */
export function inboundItem(
  inbound: InboundModel,
  { orders }: InboundItem,
  subject: Subject,
  sortKey: string,
  problems: Problem[],
): Item | undefined {
  const item: Item = {};
  let indexed = false;
  let within: string | undefined;
  if (inbound.partition !== undefined) {
    const { attribute } = inbound.partition;
    within = part(problems, () => partitionText(attribute, subject, `inbound of ${subject.context.type}`));
    if (within === undefined) return undefined;
  }
  for (const order of orders) {
    if (part(problems, () => addOrderKeys(item, order, subject, sortKey, within)) === true) indexed = true;
  }
  if (!indexed) return undefined;
  return part(problems, () => withProjection(item, inbound.project, subject));
}

/** Adds an order's two keys; says whether the order applies. */
function addOrderKeys(
  item: Item,
  order: InboundOrder,
  subject: Subject,
  sortKey: string,
  within: string | undefined,
): boolean {
  const purpose = `order ${order.name} of ${subject.context.type}`;
  const encoded = encodeOrder(order.order, subject, AS_WRITTEN, purpose);
  if (encoded === undefined) return false;
  const partition = order.places.partition(sortKey, encoded.text, subject.source, within);
  addIndexKeys(item, order.index, { partition, places: order.places }, encoded, subject.source, purpose);
  return true;
}

/** The item that searches by one value share, with its sort key; none where no search applies. */
export function sharedSearchItem(
  searches: readonly SearchModel[],
  subject: Subject,
  problems: Problem[],
): [string, Item][] {
  const item: Item = {};
  let indexed = false;
  for (const search of searches) {
    const purpose = `search ${search.indexPartition}`;
    const isIn = part(problems, () => {
      const encoded = encodeOrder(search.order, subject, textFormOf(search), purpose);
      return encoded !== undefined && addSearchKeys(item, search, subject, encoded, purpose);
    });
    if (isIn === true) indexed = true;
  }
  const first = searches[0]!;
  const whole = indexed ? part(problems, () => withProjection(item, first.project, subject)) : undefined;
  return whole === undefined ? [] : [[first.inForce.places.first, whole]];
}

/** The items of a search by several values of a node, with their sort keys. */
export function searchItems(search: SearchModel, subject: Subject): [string, Item][] {
  const purpose = `search ${search.indexPartition}`;
  const items = new Map<string, Item>();
  let bytes = 0;
  for (const encoded of eachValue(search, subject, purpose)) {
    const key = search.inForce.places.key(encoded.text);
    const present = items.get(key);
    // Values that fold to the same text share an item; it shows the one that sorts first, in any order of the set.
    if (present !== undefined && JSON.stringify(present[VALUE]) <= JSON.stringify(encoded.value)) continue;
    const item: Item = {};
    if (!addSearchKeys(item, search, subject, encoded, purpose)) continue;
    items.set(key, withProjection(item, search.project, subject));
    bytes += itemSizeBytes(item);
    if (items.size > SEARCH_VALUES || bytes > SEARCH_BYTES) throw tooManyValues(encoded, purpose);
  }
  return [...items];
}

function tooManyValues({ attribute }: Encoded, purpose: string): PartError {
  const message = `attribute ${attribute}, needed for ${purpose}, makes more than ${SEARCH_VALUES} items, or more than ${SEARCH_BYTES} bytes of them. Keep fewer values, or project fewer attributes`;
  return new PartError('too-many-values', message, attribute);
}

function eachValue(search: SearchModel, subject: Subject, purpose: string): Encoded[] {
  if (search.order.kind !== 'attribute') return [];
  const { attribute, type } = search.order;
  const value = subject.attribute(attribute);
  if (value === undefined) return [];
  let values: AttributeValue[];
  if ('L' in value) values = value.L;
  else if ('SS' in value) values = value.SS.map((S) => ({ S }));
  else if ('NS' in value) values = value.NS.map((N) => ({ N }));
  else {
    const message = `attribute ${attribute}, needed for ${purpose}, should be a list or a set, but is ${typeName(typeOf(value))}`;
    throw new PartError('wrong-type', message, attribute);
  }
  return values.map((entry) => encode(entry, type, textFormOf(search), purpose, attribute));
}

/** Adds a search's two keys and its value; says whether the search applies. */
function addSearchKeys(item: Item, search: SearchModel, subject: Subject, encoded: Encoded, purpose: string): boolean {
  let within: string | undefined;
  if (search.partition !== undefined) {
    within = partitionText(search.partition, subject, purpose);
    if (within === undefined) return false;
  }
  const { places } = search.inForce;
  const partition = places.partition(within, encoded.text, subject.source);
  const sorted = search.shards === 'value' ? withShortText(encoded, subject.source) : encoded;
  addIndexKeys(item, search.index, { partition, places }, sorted, subject.source, purpose);
  item[search.index === 'gsi0' ? VALUE : `${search.index}${VALUE}`] = encoded.value;
  return true;
}

/** The encoded value, or with `shards: 'value'` its hash, if a sort key does not hold it: all items of the partition have one value. */
function withShortText(encoded: Encoded, source: string): Encoded {
  const { text } = encoded;
  if (!isHashedInKey(text) || isWithinBytes(indexSortKey(text, source), SORT_KEY_BYTES)) return encoded;
  return { ...encoded, text: hash128(text) };
}

/** The text of a partition attribute; undefined where it is absent. */
export function partitionText(attribute: string, subject: Subject, purpose: string): string | undefined {
  const value = subject.attribute(attribute);
  if (value === undefined) return undefined;
  return encode(value, 'string', AS_WRITTEN, `the partition of ${purpose}`, attribute).text;
}

/** An index partition, with the places that it is one of. */
interface Place {
  partition: IndexPartitionKey;
  places: OrderPlaces | SearchPlaces;
}

/** Adds the two keys of an index. */
export function addIndexKeys(
  item: Item,
  index: IndexName,
  { partition, places }: Place,
  encoded: Pick<Encoded, 'attribute' | 'text'>,
  source: string,
  purpose: string,
): void {
  if (!places.fits(partition)) throw tooLong(partition, encoded.attribute, purpose);
  const names = INDEX_KEYS[index];
  item[names.sort] = { S: fittingSortKey(encoded, source, purpose) };
  item[names.partition] = { S: partition };
}

/** The sort key of an item in an index; a `PartError` where no key has room for it. */
export function fittingSortKey(
  { text, attribute }: Pick<Encoded, 'attribute' | 'text'>,
  source: string,
  purpose: string,
): string {
  const key = indexSortKey(text, source);
  if (!isWithinBytes(key, SORT_KEY_BYTES)) throw tooLong(key, attribute, purpose);
  return key;
}

function tooLong(key: string, attribute: string | undefined, purpose: string): PartError {
  const cause = attribute === undefined ? 'the derived text' : `attribute ${attribute}`;
  const message = `the key that ${cause} makes for ${purpose} has ${Buffer.byteLength(key)} bytes; an index key has at most ${SORT_KEY_BYTES}`;
  return new PartError('key-too-long', message, attribute);
}

function withProjection(item: Item, projection: Projection, subject: Subject): Item {
  return projection.kind === 'KEYS_ONLY'
    ? item
    : withAttributes(item, subject.project(projection), subject.context.type);
}

/** Adds projected attributes to an index item; a `PartError` where it becomes larger than DynamoDB allows. */
export function withAttributes(item: Item, attributes: Item, type: string): Item {
  item[ATTRIBUTES] = { M: attributes };
  if (!isItemWithinBytes(item, ITEM_BYTES)) {
    const message = `the index item of ${type} would have ${itemSizeBytes(item)} bytes with its projected attributes; DynamoDB allows 400 KB. Project fewer attributes`;
    throw new PartError('item-too-large', message);
  }
  return item;
}
