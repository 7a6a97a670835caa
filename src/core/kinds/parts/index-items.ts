import {
  type AttributeValue,
  type Item,
  isItemWithinBytes,
  itemSizeBytes,
  stringOf,
} from '../../items/attribute-value.ts';
import { ATTRIBUTES, INDEX_KEYS } from '../../items/derived-item.ts';
import { describe } from '../../items/describe.ts';
import { encodePath, encodeValue, escapeValue, sortKeyOfEscaped, type ValueType } from '../../items/encoding.ts';
import { EncodingError, TooLongError } from '../../items/encoding-error.ts';
import { hash128, type IndexPartitionKey, isWithinBytes, SORT_KEY_BYTES } from '../../items/keys.ts';
import { AS_WRITTEN, type TextForm } from '../../items/text-form.ts';
import {
  type AttributeOrder,
  type DeriveModel,
  type EdgeModel,
  type InboundItem,
  type InboundModel,
  type InboundOrder,
  type IndexName,
  listsOf,
  type OrderModel,
  type Projection,
} from '../../model/compiled.ts';
import { isJoinedItem } from '../../model/joined.ts';
import type { OrderPlaces } from '../../model/projection/index-places.ts';
import type { SearchPlaces } from '../../model/projection/places.ts';
import { firstAttributeOf, lacksPartitionText, lacksValueText } from './outcomes.ts';
import { PartError, type Subject } from './subject.ts';

/** The expected fields of an edge's index items, and how orders encode values. */

/** DynamoDB's limit less an allowance for what an index item has besides its fields. */
const ITEM_BYTES = 400 * 1024 - 4096;
/**
 * An upper bound of an index item without projected attributes: its keys, which are bounded, and the value of one of
 * them.
 */
const OTHER_BYTES = 32 * 1024;

interface PlannedOrder {
  order: InboundOrder;
  encode: OrderEncoder;
  purpose: string;
  /** Its path in the model. */
  line: string;
}

export function lineOfOrder({ type }: EdgeModel, { name, places }: InboundOrder): string {
  return places.isDue ? `edges.${type}.expires` : `edges.${type}.inbound.orders.${name}`;
}

export interface InboundItemPlan {
  item: InboundItem;
  inbound: InboundModel;
  orders: readonly PlannedOrder[];
  /** The attribute in the index partition besides the target, if any. */
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

/** A value that isn't a time isn't an error: the edge doesn't end. */
function endEncoder(purpose: string): OrderEncoder {
  return ({ end }) => end && encodeForOrder(end, 'number', AS_WRITTEN, purpose);
}

/** With the keys of each applicable order; undefined if none applies. */
export function inboundItem(plan: InboundItemPlan, subject: Subject, sortKey: string): Item | undefined {
  const { inbound, orders, partition: partitioned } = plan;
  const { inForce } = plan.item;
  const item: Item = {};
  const { source, outcomes } = subject;
  let indexed = false;
  let within: string | undefined;
  if (partitioned !== undefined) {
    try {
      within = partitionText(partitioned, subject, `inbound of ${subject.type}`);
      if (within === undefined) noteUnlisted(plan, subject, sortKey);
    } catch (error) {
      noteFault(plan, orders, subject, sortKey, error);
    }
    if (within === undefined) return undefined;
  }
  for (const planned of orders) {
    const { order, encode: encodeOrder, purpose, line } = planned;
    try {
      const encoded = encodeOrder(subject);
      outcomes?.add(line, inForce.places.key(sortKey), encoded ? undefined : whyUnordered(order));
      if (encoded === undefined) continue;
      const partition = order.places.partition(sortKey, encoded.text, source, within);
      // A due-list's partition has several edges of a node, and must fit any id.
      const follows = order.places.isDue ? hash128(`${source}\0${sortKey}`).toUpperCase() : source;
      addIndexKeys(item, order.index, order.places, partition, encoded, follows, purpose);
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

function noteUnlisted({ item, orders, partition }: InboundItemPlan, { outcomes }: Subject, sortKey: string): void {
  for (const { line } of orders)
    outcomes?.add(line, item.inForce.places.key(sortKey), lacksPartitionText('edge', partition!));
}

function noteFault(
  { item: { inForce } }: InboundItemPlan,
  orders: readonly PlannedOrder[],
  subject: Subject,
  sortKey: string,
  error: unknown,
): void {
  const { message } = subject.noteProblem(error, inForce.isSuperseded);
  for (const { line } of orders)
    subject.outcomes?.addFault(line, inForce.places.key(sortKey), message, inForce.isSuperseded);
}

function whyUnordered({ order, places }: InboundOrder): string {
  return places.isDue
    ? 'The edge has no time at which it ends.'
    : lacksValueText('edge', firstAttributeOf(order), ', which orders it');
}

/** Undefined if the item lacks the attribute. */
export function partitionText(attribute: string, subject: Subject, purpose: string): string | undefined {
  const value = subject.attribute(attribute);
  return value && encodeForOrder(value, 'string', AS_WRITTEN, `the partition of ${purpose}`, attribute).text;
}

/** Throws a `PartError` if they would be too long. */
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

/** Throws a `PartError` if it would be too long. */
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
  // Even an item of keys only holds the time at which it ends.
  if (projection.kind === 'KEYS_ONLY' && subject.end === undefined) return item;
  const attributes = subject.projectAttributes(projection);
  return isStored ? withAttributes(item, attributes, subject) : { ...item, [ATTRIBUTES]: { M: attributes } };
}

/** Throws a `PartError` if the item becomes larger than DynamoDB allows. */
export function withAttributes(item: Item, attributes: Item, subject: Pick<Subject, 'type'>): Item {
  item[ATTRIBUTES] = { M: attributes };
  if (!isItemWithinBytes(attributes, ITEM_BYTES - OTHER_BYTES) && !isItemWithinBytes(item, ITEM_BYTES)) {
    const message = `the index item of ${subject.type} would have ${itemSizeBytes(item)} bytes with its projected attributes; DynamoDB allows 400 KB. Project fewer attributes`;
    throw new PartError('item-too-large', message);
  }
  return item;
}

/** An order's encoded text, the value that it came from (a list for a path), and the attribute to name in errors. */
export interface Encoded {
  text: string;
  /** The text as it appears in a sort key. */
  escaped: string;
  value: AttributeValue;
  attribute?: string;
}

export function encodedText(text: string, value: AttributeValue, attribute?: string): Encoded {
  return { text, escaped: escapeValue(text), value, attribute };
}

/** Undefined if the image has no value. */
export type OrderEncoder = (subject: Subject) => Encoded | undefined;

/**
 * The encoder of an order that one item decides. `purpose` completes "needed for ..." in problems. Values of an edge's
 * source node count as absent here: see joined-items.ts.
 */
export function orderEncoder(order: OrderModel, form: TextForm, purpose: string): OrderEncoder {
  if (order.kind === 'path') {
    return (subject) => encodeAttributePath(order.attributes, subject, form, purpose);
  }
  if (order.kind === 'source') return () => undefined;
  if (order.kind !== 'parts') return valueEncoder(order, form, purpose);
  const encoders = order.parts.map((part) => orderEncoder(part, AS_WRITTEN, purpose));
  return (subject) => joinLeadingParts(encoders.map((encodePart) => encodePart(subject)));
}

/** Joins values up to the first absent one; undefined if the first is absent. */
export function joinLeadingParts(parts: readonly (Encoded | undefined)[]): Encoded | undefined {
  const hole = parts.indexOf(undefined);
  const values = (hole < 0 ? parts : parts.slice(0, hole)) as Encoded[];
  if (values.length === 0) return undefined;
  const named = values.flatMap(({ attribute }) => (attribute === undefined ? [] : [attribute]));
  const path = encodePath(
    values.map(({ text }) => text),
    AS_WRITTEN,
  );
  const list = { L: values.map(({ value }) => value) };
  return encodedText(path, list, named.length === 0 ? undefined : named.join(', '));
}

export function valueEncoder(order: AttributeOrder | DeriveModel, form: TextForm, purpose: string): OrderEncoder {
  if (order.kind === 'derive') {
    return (subject) => {
      const text = subject.computeText(order.compute, purpose);
      return text === undefined ? undefined : encodeForOrder({ S: text }, 'string', form, purpose);
    };
  }
  if (order.kind === 'rank') return rankEncoder(order, purpose);
  const { attribute, type } = order;
  return (subject) => {
    const value = subject.attribute(attribute);
    return value === undefined ? undefined : encodeForOrder(value, type, form, purpose, attribute);
  };
}

function rankEncoder({ attribute, weights }: Extract<AttributeOrder, { kind: 'rank' }>, purpose: string): OrderEncoder {
  const ranks = new Map<string, Encoded>();
  for (const [label, weight] of weights) {
    ranks.set(label, encodedText(`${weight}-${label}`, { S: label }, attribute));
  }
  return (subject) => {
    const value = subject.attribute(attribute);
    if (value === undefined) return undefined;
    const ranked = 'S' in value ? ranks.get(value.S) : undefined;
    if (ranked !== undefined) return ranked;
    // A value that isn't a text gets its own error first.
    const label = encodeForOrder(value, 'string', AS_WRITTEN, purpose, attribute);
    const declared = [...weights.keys()].join(', ');
    const message = `attribute ${attribute}, needed for ${purpose}, is ${describe(label.text)}, which has no declared rank (${declared})`;
    throw new PartError('undeclared-label', message, attribute);
  };
}

/** Encodes a path up to the first absent attribute: a gap would make a prefix that no reader asks for. */
function encodeAttributePath(
  attributes: readonly string[],
  subject: Subject,
  form: TextForm,
  purpose: string,
): Encoded | undefined {
  const values: AttributeValue[] = [];
  const segments: string[] = [];
  for (const attribute of attributes) {
    const value = subject.attribute(attribute);
    if (value === undefined) break;
    // The whole path is encoded below. This only checks the value, naming the attribute if it isn't a text.
    encodeForOrder(value, 'string', form, purpose, attribute);
    segments.push(stringOf(value)!);
    values.push(value);
  }
  if (values.length === 0) return undefined;
  return encodedText(encodePath(segments, form), { L: values }, attributes.slice(0, values.length).join(', '));
}

/** `purpose` completes "needed for ..." in the error. */
export function encodeForOrder(
  value: AttributeValue,
  type: ValueType,
  form: TextForm,
  purpose: string,
  attribute?: string,
): Encoded {
  try {
    const text = encodeValue(value, type, form);
    // Numbers and dates need no escaping.
    return type === 'string' ? encodedText(text, value, attribute) : { text, escaped: text, value, attribute };
  } catch (error) {
    if (!(error instanceof EncodingError)) throw error;
    const subject = attribute === undefined ? 'the derived text' : `attribute ${attribute}, needed`;
    const code = error instanceof TooLongError ? 'key-too-long' : 'wrong-type';
    throw new PartError(code, `${subject} for ${purpose}, ${error.message}`, attribute);
  }
}
