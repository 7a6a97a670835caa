import { type Item, isItemWithinBytes, itemSizeBytes } from '../../items/attribute-value.ts';
import { ATTRIBUTES, INDEX_KEYS } from '../../items/derived-item.ts';
import { AS_WRITTEN, sortKeyOfEscaped } from '../../items/encoding.ts';
import { hash128, type IndexPartitionKey, isWithinBytes, SORT_KEY_BYTES } from '../../items/keys.ts';
import {
  type EdgeModel,
  type InboundItem,
  type InboundModel,
  type InboundOrder,
  type IndexName,
  listsOf,
  type Projection,
} from '../../model/compiled.ts';
import { isJoinedItem } from '../../model/joined.ts';
import type { OrderPlaces } from '../../model/projection/index-places.ts';
import type { SearchPlaces } from '../../model/projection/places.ts';
import { type Encoded, encodeForOrder, type OrderEncoder, orderEncoder } from './order-encoder.ts';
import { firstAttributeOf, lacksPartitionText, lacksValueText } from './outcomes.ts';
import { PartError, type Subject } from './subject.ts';

/** DynamoDB's limit, minus room for attributes that a write adds, such as the revision. */
const ITEM_BYTES = 400 * 1024 - 4096;

interface PlannedOrder {
  order: InboundOrder;
  encode: OrderEncoder;
  purpose: string;
  line: string;
}

export function lineOfOrder({ type }: EdgeModel, { name, places }: InboundOrder): string {
  return places.isDue ? `edges.${type}.expires` : `edges.${type}.inbound.orders.${name}`;
}

export interface InboundItemPlan {
  item: InboundItem;
  inbound: InboundModel;
  orders: readonly PlannedOrder[];
  /** The attribute whose value follows the target in the index partition, if any. */
  partition: string | undefined;
}

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
          encode: order.places.isDue ? endEncoder(purpose) : orderEncoder(order.order, AS_WRITTEN, purpose),
          purpose,
          line: lineOfOrder(edge, order),
        };
      }),
    }));
  });
}

/** A value that isn't a time isn't an error: such an edge never ends. */
function endEncoder(purpose: string): OrderEncoder {
  return ({ end }) => end && encodeForOrder(end, 'number', AS_WRITTEN, purpose);
}

export function inboundItem(plan: InboundItemPlan, subject: Subject, sortKey: string): Item | undefined {
  const { inbound, orders, partition: partitioned } = plan;
  const { inForce } = plan.item;
  const item: Item = {};
  const { source, outcomes } = subject;
  let indexed = false;
  const within = partitioned === undefined ? undefined : partitionOrNote(plan, partitioned, subject, sortKey);
  if (partitioned !== undefined && within === undefined) return undefined;
  for (const planned of orders) {
    const { order, encode: encodeOrder, purpose, line } = planned;
    try {
      const encoded = encodeOrder(subject);
      outcomes?.add(line, inForce.places.key(sortKey), encoded ? undefined : whyUnordered(order));
      if (encoded === undefined) continue;
      const partition = order.places.partition(sortKey, encoded.text, source, within);
      // A due-list's partition may hold several edges of one node. A hash distinguishes them and always fits.
      const follows = order.places.isDue ? hash128(`${source}\0${sortKey}`).toUpperCase() : source;
      addIndexKeys(item, order, { partition, encoded, source: follows }, purpose);
      indexed = true;
    } catch (error) {
      noteFault(plan, [planned], subject, sortKey, error);
    }
  }
  if (!indexed) return undefined;
  try {
    return withProjection(item, inbound.project, subject, orders[0]!.order.places);
  } catch (error) {
    noteFault(plan, orders, subject, sortKey, error);
    return undefined;
  }
}

function partitionOrNote(
  plan: InboundItemPlan,
  attribute: string,
  subject: Subject,
  sortKey: string,
): string | undefined {
  const { orders, item } = plan;
  try {
    const text = partitionText(attribute, subject, `inbound of ${subject.type}`);
    if (text !== undefined) return text;
    for (const { line } of orders)
      subject.outcomes?.add(line, item.inForce.places.key(sortKey), lacksPartitionText('edge', attribute));
  } catch (error) {
    noteFault(plan, orders, subject, sortKey, error);
  }
  return undefined;
}

export function noteFault(
  { item: { inForce } }: Pick<InboundItemPlan, 'item'>,
  orders: readonly Pick<PlannedOrder, 'line'>[],
  subject: Pick<Subject, 'noteProblem' | 'outcomes'>,
  sortKey: string,
  error: unknown,
): void {
  const { message } = subject.noteProblem(error, inForce);
  for (const { line } of orders) subject.outcomes?.addFault(line, inForce.places.key(sortKey), message, inForce);
}

function whyUnordered({ order, places }: InboundOrder): string {
  return places.isDue
    ? 'The edge has no time at which it ends.'
    : lacksValueText('edge', firstAttributeOf(order), ', which orders it');
}

export function partitionText(attribute: string, subject: Subject, purpose: string): string | undefined {
  const value = subject.attribute(attribute);
  return value && encodeForOrder(value, 'string', AS_WRITTEN, `the partition of ${purpose}`, attribute).text;
}

interface IndexKeyParts {
  partition: IndexPartitionKey;
  encoded: Pick<Encoded, 'escaped' | 'attribute'>;
  /** Follows the encoded value in the sort key. */
  source: string;
}

export function addIndexKeys(
  item: Item,
  { index, places }: { index: IndexName; places: OrderPlaces | SearchPlaces },
  { partition, encoded, source }: IndexKeyParts,
  purpose: string,
): void {
  if (!places.fits(partition)) throw tooLongError(partition, encoded, purpose);
  const sort = places.isStored ? fittingSortKey(encoded, source, purpose) : sortKeyOfEscaped(encoded.escaped, source);
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

export function withProjection(
  item: Item,
  projection: Projection,
  subject: Subject,
  { isStored }: Pick<OrderPlaces | SearchPlaces, 'isStored'>,
): Item {
  // An item with `KEYS_ONLY` still holds the time at which it ends.
  if (projection.kind === 'KEYS_ONLY' && subject.end === undefined) return isStored ? fitting(item, subject) : item;
  const attributes = subject.projectAttributes(projection);
  return isStored ? withAttributes(item, attributes, subject) : { ...item, [ATTRIBUTES]: { M: attributes } };
}

export function withAttributes(item: Item, attributes: Item, subject: Pick<Subject, 'type'>): Item {
  item[ATTRIBUTES] = { M: attributes };
  return fitting(item, subject);
}

/** Measures the whole item: with `shards: 'value'`, a value may be as long as its base item. */
function fitting(item: Item, { type }: Pick<Subject, 'type'>): Item {
  if (isItemWithinBytes(item, ITEM_BYTES)) return item;
  const message = `the index item of ${type} would have ${itemSizeBytes(item)} bytes with its values and projected attributes; DynamoDB allows 400 KB. Shorten the values, or project fewer attributes`;
  throw new PartError('item-too-large', message);
}
