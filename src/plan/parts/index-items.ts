import {
  type AttributeValue,
  type Item,
  isItemWithinBytes,
  itemSizeBytes,
  typeOf,
} from '../../items/attribute-value.ts';
import { ATTRIBUTES, INDEX_KEYS, VALUE } from '../../items/derived-item.ts';
import { indexSortKey, typeName } from '../../items/encoding.ts';
import { isWithinBytes, SORT_KEY_BYTES, searchKey, searchValueKey } from '../../items/keys.ts';
import type {
  EdgeModel,
  InboundItem,
  InboundModel,
  InboundOrder,
  IndexName,
  Projection,
  SearchModel,
} from '../../model/compiled.ts';
import { inboundPartition, isIndexPartition, searchPartition } from '../../model/index-partition.ts';
import { isJoinedItem } from '../../model/joined.ts';
import { type Encoded, encode, type OrderEncoder, orderEncoder } from './order.ts';
import { PartError, type Subject } from './subject.ts';

/** The wanted fields of index items: an edge's items in its orders, and a node's search items. */

/** DynamoDB's limit on an item, in bytes, less what an index item carries besides its fields. */
const ITEM_BYTES = 400 * 1024 - 4096;
/** More than an index item holds besides projected attributes: keys that are bounded, and the value that made one of them. */
const OTHER_BYTES = 32 * 1024;
/**
 * Values of one attribute that a search makes items of. One image may want no more work than a batch has time for: else
 * its record is retried without end, and holds up its shard.
 */
export const MAX_SEARCH_VALUES = 5_000;
/** Bytes of the items that a search makes of one attribute's values: about as many KB as write units. */
export const MAX_SEARCH_BYTES = 8 * 1024 * 1024;

/** How one index item of an edge type is made: what the model says of it, worked out once. */
export interface InboundItemPlan {
  item: InboundItem;
  inbound: InboundModel;
  orders: readonly { order: InboundOrder; encode: OrderEncoder; purpose: string }[];
  /** What the partition of the index names besides the target; undefined: nothing. */
  partition: string | undefined;
}

/** Plans the index items of an edge type that the edge alone decides; none where it has no order. */
export function inboundItemPlans({ type, inbound }: EdgeModel): InboundItemPlan[] {
  if (inbound === undefined) return [];
  const items = inbound.items.filter((item) => !isJoinedItem(inbound, item));
  return items.map((item) => ({
    item,
    inbound,
    partition: inbound.partition?.attribute,
    orders: item.orders.map((order) => {
      const purpose = `order ${order.name} of ${type}`;
      return { order, encode: orderEncoder(order.order, false, purpose), purpose };
    }),
  }));
}

/** One index item of an edge with the keys of every order of it that applies; undefined where none does. */
export function inboundItem(
  { item: { isSuperseded }, inbound, orders, partition: partitioned }: InboundItemPlan,
  subject: Subject,
  sortKey: string,
): Item | undefined {
  const item: Item = {};
  const { source } = subject;
  let indexed = false;
  let within: string | undefined;
  if (partitioned !== undefined) {
    try {
      within = partitionText(partitioned, subject, `inbound of ${subject.type}`);
    } catch (error) {
      subject.note(error, isSuperseded);
    }
    if (within === undefined) return undefined;
  }
  for (const { order, encode: encodeOrder, purpose } of orders) {
    try {
      const encoded = encodeOrder(subject);
      if (encoded === undefined) continue;
      const partition = inboundPartition(inbound, order, sortKey, encoded.text, source, within);
      const spread = { generation: order.generation, shards: inbound.shards };
      addIndexKeys(item, order.index, { partition, ...spread }, encoded, source, purpose);
      indexed = true;
    } catch (error) {
      subject.note(error, isSuperseded);
    }
  }
  if (!indexed) return undefined;
  try {
    return withProjection(item, inbound.project, subject);
  } catch (error) {
    subject.note(error, isSuperseded);
    return undefined;
  }
}

/** How the search items of a node are made for one search: what the model says of it, worked out once. */
export interface SearchPlan {
  search: SearchModel;
  encode: OrderEncoder;
  /** The item's sort key, where there is one item for all. */
  key: string;
  purpose: string;
}

/** Plans a search. */
export function searchPlan(search: SearchModel): SearchPlan {
  const purpose = `search ${search.indexPartition}`;
  const encode = orderEncoder(search.order, search.fold, purpose);
  return { search, encode, key: searchKey(search.name, search.generation), purpose };
}

/** A search's items of a node with their sort keys; more than one only where it has one for each value. */
export function searchItems(
  { search, encode: encodeOrder, key: ofAll, purpose }: SearchPlan,
  subject: Subject,
): [string, Item][] {
  if (!search.each) {
    const encoded = encodeOrder(subject);
    if (encoded === undefined) return [];
    const item = searchItem(search, subject, encoded, purpose);
    return item === undefined ? [] : [[ofAll, item]];
  }
  const items = new Map<string, Item>();
  let bytes = 0;
  for (const encoded of eachValue(search, subject, purpose)) {
    const key = searchValueKey(search.name, encoded.text, search.generation);
    const present = items.get(key);
    // Values that fold to the same text share an item; it shows the one that sorts first, in any order of the set.
    if (present !== undefined && JSON.stringify(present[VALUE]) <= JSON.stringify(encoded.value)) continue;
    const item = searchItem(search, subject, encoded, purpose);
    if (item === undefined) continue;
    items.set(key, item);
    bytes += itemSizeBytes(item);
    if (items.size > MAX_SEARCH_VALUES || bytes > MAX_SEARCH_BYTES) throw tooManyValues(encoded, purpose);
  }
  return [...items];
}

function tooManyValues({ attribute }: Encoded, purpose: string): PartError {
  const message = `attribute ${attribute}, needed for ${purpose}, makes more than ${MAX_SEARCH_VALUES} items, or more than ${MAX_SEARCH_BYTES} bytes of them. Keep fewer values, or project fewer attributes`;
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
  return values.map((entry) => encode(entry, type, search.fold, purpose, attribute));
}

/** The text of the attribute that an index partition names; undefined where the item lacks it. */
export function partitionText(attribute: string, subject: Subject, purpose: string): string | undefined {
  const value = subject.attribute(attribute);
  return value && encode(value, 'string', false, `the partition of ${purpose}`, attribute).text;
}

function searchItem(search: SearchModel, subject: Subject, encoded: Encoded, purpose: string): Item | undefined {
  let within: string | undefined;
  if (search.partition !== undefined) {
    within = partitionText(search.partition, subject, purpose);
    if (within === undefined) return undefined;
  }
  const partition = searchPartition(search, within, encoded.text, subject.source);
  const item: Item = {};
  const { generation, shards } = search;
  addIndexKeys(item, 'gsi0', { partition, generation, shards }, encoded, subject.source, purpose);
  item[VALUE] = encoded.value;
  return withProjection(item, search.project, subject);
}

/** Sets an index item's keys of an index; a `PartError` where they would be too long. */
export function addIndexKeys(
  item: Item,
  index: IndexName,
  { partition, ...spread }: { partition: string; generation: number | undefined; shards: number | 'value' },
  { text, attribute }: Pick<Encoded, 'text' | 'attribute'>,
  source: string,
  purpose: string,
): void {
  const sort = indexSortKey(text, source);
  const isPartition = isIndexPartition(partition, spread);
  if (!isPartition || !isWithinBytes(sort, SORT_KEY_BYTES)) {
    const tooLong = isPartition ? sort : partition;
    const cause = attribute === undefined ? 'the derived text' : `attribute ${attribute}`;
    const message = `the key that ${cause} makes for ${purpose} has ${Buffer.byteLength(tooLong)} bytes; an index key has at most ${SORT_KEY_BYTES}`;
    throw new PartError('key-too-long', message, attribute);
  }
  // Each name stands by itself: a property with a fixed name is set faster than one with a name that is looked up.
  if (index === 'gsi0') {
    item[INDEX_KEYS.gsi0.partition] = { S: partition };
    item[INDEX_KEYS.gsi0.sort] = { S: sort };
  } else {
    item[INDEX_KEYS.gsi1.partition] = { S: partition };
    item[INDEX_KEYS.gsi1.sort] = { S: sort };
  }
}

function withProjection(item: Item, projection: Projection, subject: Subject): Item {
  return projection.kind === 'KEYS_ONLY' ? item : withAttributes(item, subject.project(projection), subject);
}

/** Adds projected attributes to an index item; a `PartError` where it becomes larger than DynamoDB allows. */
export function withAttributes(item: Item, attributes: Item, subject: Pick<Subject, 'type'>): Item {
  item[ATTRIBUTES] = { M: attributes };
  if (!isItemWithinBytes(attributes, ITEM_BYTES - OTHER_BYTES) && !isItemWithinBytes(item, ITEM_BYTES)) {
    const message = `the index item of ${subject.type} would have ${itemSizeBytes(item)} bytes with its projected attributes; DynamoDB allows 400 KB. Project fewer attributes`;
    throw new PartError('item-too-large', message);
  }
  return item;
}
