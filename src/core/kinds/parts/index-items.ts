import {
  type AttributeValue,
  type Item,
  isItemWithinBytes,
  itemSizeBytes,
  typeOf,
} from '../../items/attribute-value.ts';
import { ATTRIBUTES, INDEX_KEYS, VALUE } from '../../items/derived-item.ts';
import { sortKeyOfEscaped, typeName } from '../../items/encoding.ts';
import {
  type DerivedSortKey,
  hash128,
  type IndexPartitionKey,
  isWithinBytes,
  SORT_KEY_BYTES,
} from '../../items/keys.ts';
import {
  type EdgeModel,
  type InboundItem,
  type InboundModel,
  type InboundOrder,
  type IndexName,
  listsOf,
  type Projection,
  type SearchModel,
} from '../../model/compiled.ts';
import { isJoinedItem } from '../../model/joined.ts';
import { isHashedInKey } from '../../model/projection/partitions.ts';
import type { OrderPlaces, SearchPlaces } from '../../model/projection/places.ts';
import { type Encoded, encodedText, encodeForOrder, type OrderEncoder, orderEncoder } from './order.ts';
import { PartError, type Subject } from './subject.ts';

/** The expected fields of index items: an edge's items in its orders, and a node's search items. */

/** DynamoDB's limit on an item, in bytes, less an allowance for an index item's parts besides its fields. */
const ITEM_BYTES = 400 * 1024 - 4096;
/** An upper bound of an index item's size without projected attributes: its keys, which are bounded, and the value of one of them. */
const OTHER_BYTES = 32 * 1024;
/**
 * The most values of one attribute that a search makes items of. An image must not ask for more work than a batch has time for: its
 * record would be retried without end, and hold up its shard.
 */
export const MAX_SEARCH_VALUES = 5_000;
/**
 * The most bytes that a search's items have together, of all values of one attribute. Writing them takes about one write unit for each KB.
 */
export const MAX_SEARCH_BYTES = 8 * 1024 * 1024;

/** The plan for one index item of an edge type, made once from the model. */
export interface InboundItemPlan {
  item: InboundItem;
  inbound: InboundModel;
  orders: readonly { order: InboundOrder; encode: OrderEncoder; purpose: string }[];
  /** The attribute that the index partition names besides the target; undefined: none. */
  partition: string | undefined;
}

/** Plans the index items of an edge type that the edge alone decides; none if it has no order. */
export function inboundItemPlans(edge: EdgeModel): InboundItemPlan[] {
  return listsOf(edge).flatMap((inbound) => {
    const items = inbound.items.filter((item) => !isJoinedItem(inbound, item));
    return items.map((item) => ({
      item,
      inbound,
      partition: inbound.partition?.attribute,
      orders: item.orders.map((order) => {
        const purpose = `order ${order.name} of ${edge.type}`;
        return {
          order,
          encode: order.places.isDue ? endEncoder(purpose) : orderEncoder(order.order, false, purpose),
          purpose,
        };
      }),
    }));
  });
}

/** The encoder of a due-list. A value that says no time is no mistake: the edge does not end. */
function endEncoder(purpose: string): OrderEncoder {
  return ({ end }) => end && encodeForOrder(end, 'number', false, purpose);
}

/** Makes one index item of an edge, with the keys of each of its orders that applies; undefined if none does. */
export function inboundItem(
  { item: { inForce }, inbound, orders, partition: partitioned }: InboundItemPlan,
  subject: Subject,
  sortKey: string,
): Item | undefined {
  const item: Item = {};
  const { isSuperseded } = inForce;
  const { source } = subject;
  let indexed = false;
  let within: string | undefined;
  if (partitioned !== undefined) {
    try {
      within = partitionText(partitioned, subject, `inbound of ${subject.type}`);
    } catch (error) {
      subject.noteProblem(error, isSuperseded);
    }
    if (within === undefined) return undefined;
  }
  for (const { order, encode: encodeOrder, purpose } of orders) {
    try {
      const encoded = encodeOrder(subject);
      if (encoded === undefined) continue;
      const partition = order.places.partition(sortKey, encoded.text, source, within);
      // A partition of a due-list has several edges of a node, and no id is too long for it.
      const follows = order.places.isDue ? hash128(`${source}\0${sortKey}`).toUpperCase() : source;
      addIndexKeys(item, order.index, order.places, partition, encoded, follows, purpose);
      indexed = true;
    } catch (error) {
      subject.noteProblem(error, isSuperseded);
    }
  }
  if (!indexed) return undefined;
  try {
    return withProjection(item, inbound.project, subject);
  } catch (error) {
    subject.noteProblem(error, isSuperseded);
    return undefined;
  }
}

/** The plan for a node's items in one search, made once from the model. */
export interface SearchPlan {
  search: SearchModel;
  encode: OrderEncoder;
  purpose: string;
}

/** Plans a search. */
export function searchPlan(search: SearchModel): SearchPlan {
  const purpose = `search ${search.indexPartition}`;
  const encode = orderEncoder(search.order, Boolean(search.caseInsensitive), purpose);
  return { search, encode, purpose };
}

/** Makes a node's only item in a search, under the key `places.first`; undefined if the node has no value, or its index partition none. */
export function searchItem({ search, encode: encodeOrder, purpose }: SearchPlan, subject: Subject): Item | undefined {
  const encoded = encodeOrder(subject);
  return encoded && itemOfValue(search, subject, encoded, purpose);
}

/** Makes a node's items in a search that has one for each value, with their sort keys. */
export function searchItemsOfValues(
  { search, purpose }: SearchPlan,
  subject: Subject,
): Iterable<[DerivedSortKey, Item]> {
  const { places } = search.inForce;
  const items = new Map<DerivedSortKey, Item>();
  let bytes = 0;
  for (const encoded of encodedValues(search, subject, purpose)) {
    const key = places.key(encoded.text);
    const present = items.get(key);
    // Values that fold to the same text share an item. It shows the value that sorts first, whatever the order in the set.
    if (present !== undefined && JSON.stringify(present[VALUE]) <= JSON.stringify(encoded.value)) continue;
    const item = itemOfValue(search, subject, encoded, purpose);
    if (item === undefined) continue;
    items.set(key, item);
    bytes += itemSizeBytes(item);
    if (items.size > MAX_SEARCH_VALUES || bytes > MAX_SEARCH_BYTES) throw tooManyValuesError(encoded, purpose);
  }
  return items;
}

function tooManyValuesError({ attribute }: Encoded, purpose: string): PartError {
  const message = `attribute ${attribute}, needed for ${purpose}, makes more than ${MAX_SEARCH_VALUES} items, or more than ${MAX_SEARCH_BYTES} bytes of them. Keep fewer values, or project fewer attributes`;
  return new PartError('too-many-values', message, attribute);
}

function encodedValues(search: SearchModel, subject: Subject, purpose: string): Encoded[] {
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
  return values.map((entry) => encodeForOrder(entry, type, Boolean(search.caseInsensitive), purpose, attribute));
}

/** The text of the attribute that an index partition names; undefined if the item lacks it. */
export function partitionText(attribute: string, subject: Subject, purpose: string): string | undefined {
  const value = subject.attribute(attribute);
  return value && encodeForOrder(value, 'string', false, `the partition of ${purpose}`, attribute).text;
}

/**
 * Makes a node's item in a search for one encoded value. The item is undefined only if an attribute names the search's index partition,
 * and the node does not have that attribute.
 */
function itemOfValue(search: SearchModel, subject: Subject, encoded: Encoded, purpose: string): Item | undefined {
  let within: string | undefined;
  if (search.partition !== undefined) {
    within = partitionText(search.partition, subject, purpose);
    if (within === undefined) return undefined;
  }
  const { places } = search.inForce;
  const partition = places.partition(within, encoded.text, subject.source);
  const item: Item = {};
  const sorted = search.shards === 'value' ? withShortText(encoded, subject.source) : encoded;
  addIndexKeys(item, 'gsi0', places, partition, sorted, subject.source, purpose);
  item[VALUE] = encoded.value;
  return withProjection(item, search.project, subject);
}

/**
 * The encoded value, or its hash if a sort key does not hold it. All items of an index partition of `shards: 'value'` have one value, so
 * that their order among each other is that of their sources.
 */
function withShortText(encoded: Encoded, source: string): Encoded {
  // A search asks for the hash of a long value only: under its hash a short one would never be found.
  const sort = sortKeyOfEscaped(encoded.escaped, source);
  if (!isHashedInKey(encoded.text) || isWithinBytes(sort, SORT_KEY_BYTES)) return encoded;
  return encodedText(hash128(encoded.text), encoded.value, encoded.attribute);
}

/** Sets an index item's keys of an index; throws a `PartError` if they would be too long. */
export function addIndexKeys(
  item: Item,
  index: IndexName,
  places: OrderPlaces | SearchPlaces,
  partition: IndexPartitionKey,
  encoded: Pick<Encoded, 'escaped' | 'attribute'>,
  source: string,
  purpose: string,
): void {
  if (!places.fits(partition)) throw tooLongError(partition, encoded, purpose);
  const sort = fittingSortKey(encoded, source, purpose);
  // Fixed property names are set faster than computed ones, so the usual names are written out.
  if (index === 'gsi0') {
    item[INDEX_KEYS.gsi0.partition] = { S: partition };
    item[INDEX_KEYS.gsi0.sort] = { S: sort };
  } else if (index === 'gsi1') {
    item[INDEX_KEYS.gsi1.partition] = { S: partition };
    item[INDEX_KEYS.gsi1.sort] = { S: sort };
  } else {
    item[INDEX_KEYS[index].partition] = { S: partition };
    item[INDEX_KEYS[index].sort] = { S: sort };
  }
}

/** The sort key of an item in an index; throws a `PartError` if it would be too long. */
export function fittingSortKey(
  encoded: Pick<Encoded, 'escaped' | 'attribute'>,
  source: string,
  purpose: string,
): string {
  const sort = sortKeyOfEscaped(encoded.escaped, source);
  if (!isWithinBytes(sort, SORT_KEY_BYTES)) throw tooLongError(sort, encoded, purpose);
  return sort;
}

function tooLongError(key: string, { attribute }: Pick<Encoded, 'attribute'>, purpose: string): PartError {
  const cause = attribute === undefined ? 'the derived text' : `attribute ${attribute}`;
  const message = `the key that ${cause} makes for ${purpose} has ${Buffer.byteLength(key)} bytes; an index key has at most ${SORT_KEY_BYTES}`;
  return new PartError('key-too-long', message, attribute);
}

function withProjection(item: Item, projection: Projection, subject: Subject): Item {
  // An item of keys only holds the time at which it ends all the same.
  if (projection.kind === 'KEYS_ONLY' && subject.end === undefined) return item;
  return withAttributes(item, subject.projectAttributes(projection), subject);
}

/** Adds projected attributes to an index item; throws a `PartError` if it becomes larger than DynamoDB allows. */
export function withAttributes(item: Item, attributes: Item, subject: Pick<Subject, 'type'>): Item {
  item[ATTRIBUTES] = { M: attributes };
  if (!isItemWithinBytes(attributes, ITEM_BYTES - OTHER_BYTES) && !isItemWithinBytes(item, ITEM_BYTES)) {
    const message = `the index item of ${subject.type} would have ${itemSizeBytes(item)} bytes with its projected attributes; DynamoDB allows 400 KB. Project fewer attributes`;
    throw new PartError('item-too-large', message);
  }
  return item;
}
