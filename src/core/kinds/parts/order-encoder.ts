import { describe } from '../../../foundation/describe.ts';
import { type AttributeValue, EncodingError, stringOf, TooLongError } from '../../items/attribute-value.ts';
import {
  AS_WRITTEN,
  encodePath,
  encodeValue,
  escapeValue,
  type TextForm,
  type ValueType,
} from '../../items/encoding.ts';
import type { AttributeOrder, OrderModel, OrderPart } from '../../model/compiled.ts';
import { PartError, type Subject } from './subject.ts';

/** `value` is the value before encoding, a list for a path. `attribute` is named in errors. */
export interface Encoded {
  text: string;
  escaped: string;
  value: AttributeValue;
  attribute?: string;
}

export function encodedText(text: string, value: AttributeValue, attribute?: string): Encoded {
  return { text, escaped: escapeValue(text), value, attribute };
}

export type OrderEncoder = (subject: Subject) => Encoded | undefined;

/**
 * Returns the encoder of an order whose values all come from one base item. `joined-items.ts` encodes the other orders.
 *
 * @param purpose completes "needed for ..." in problems.
 */
export function orderEncoder(order: OrderModel, form: TextForm, purpose: string): OrderEncoder {
  if (order.kind === 'path') {
    return (subject) => encodeAttributePath(order.attributes, subject, form, purpose);
  }
  if (order.kind !== 'parts') return valueEncoder(order, form, purpose);
  const encoders = order.parts.map((part) => orderEncoder(part, AS_WRITTEN, purpose));
  return (subject) => joinLeadingParts(encoders.map((encodePart) => encodePart(subject)));
}

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

/** For a `source` order, the subject is the edge's source node. */
export function valueEncoder(part: OrderPart, form: TextForm, purpose: string): OrderEncoder {
  const order = part.kind === 'source' ? part.order : part;
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
    // Throws a clearer error if the value isn't a string.
    const label = encodeForOrder(value, 'string', AS_WRITTEN, purpose, attribute);
    const declared = [...weights.keys()].join(', ');
    const message = `attribute ${attribute}, needed for ${purpose}, is ${describe(label.text)}, which has no declared rank (${declared})`;
    throw new PartError('undeclared-label', message, attribute);
  };
}

/** Encodes the path up to the first absent attribute. A path with a gap would have a prefix that no reader asks for. */
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
    // This only checks the value, so that an error names the attribute. The whole path is encoded below.
    encodeForOrder(value, 'string', form, purpose, attribute);
    segments.push(stringOf(value)!);
    values.push(value);
  }
  if (values.length === 0) return undefined;
  return encodedText(encodePath(segments, form), { L: values }, attributes.slice(0, values.length).join(', '));
}

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
    const subject = attribute === undefined ? 'the text of derive' : `attribute ${attribute}, needed`;
    const code = error instanceof TooLongError ? 'key-too-long' : 'wrong-type';
    throw new PartError(code, `${subject} for ${purpose}, ${error.message}`, attribute);
  }
}
