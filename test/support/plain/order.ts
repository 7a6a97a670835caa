import { type AttributeValue, stringOf } from '../../../src/core/items/attribute-value.ts';
import { describe } from '../../../src/core/items/describe.ts';
import { encodePath, encodeValue, type ValueType } from '../../../src/core/items/encoding.ts';
import { EncodingError, TooLongError } from '../../../src/core/items/encoding-error.ts';
import { AS_WRITTEN, type TextForm } from '../../../src/core/items/text-form.ts';
import type { OrderModel, OrderPart } from '../../../src/core/model/compiled.ts';
import { PartError, type Subject } from './subject.ts';

/** An order's encoded text, the value it came from (of a path, a list), and the attribute to name in errors. */
export interface Encoded {
  text: string;
  value: AttributeValue;
  attribute?: string;
}

/** Encodes what an order takes from an image; undefined where the image leaves the order out. */
export function encodeOrder(order: OrderModel, subject: Subject, form: TextForm, purpose: string): Encoded | undefined {
  if (order.kind === 'derive') {
    const text = subject.compute(order.compute, purpose);
    return text === undefined ? undefined : encode({ S: text }, 'string', form, purpose);
  }
  if (order.kind === 'path') return encodeAttributePath(order.attributes, subject, form, purpose);
  if (order.kind === 'parts') return encodeParts(order.parts, subject, purpose);
  // A value of the source node is none of this image.
  if (order.kind === 'source') return undefined;
  const value = subject.attribute(order.attribute);
  if (value === undefined) return undefined;
  if (order.kind === 'attribute') return encode(value, order.type, form, purpose, order.attribute);
  const label = encode(value, 'string', AS_WRITTEN, purpose, order.attribute);
  const weight = order.weights.get(label.text);
  if (weight === undefined) {
    const declared = [...order.weights.keys()].join(', ');
    const message = `attribute ${order.attribute}, needed for ${purpose}, is ${describe(label.text)}, which has no declared rank (${declared})`;
    throw new PartError('undeclared-label', message, order.attribute);
  }
  return { text: `${weight}-${label.text}`, value, attribute: order.attribute };
}

function encodeParts(parts: readonly OrderPart[], subject: Subject, purpose: string): Encoded | undefined {
  const found: Encoded[] = [];
  let hasHole = false;
  for (const part of parts) {
    const encoded = encodeOrder(part, subject, AS_WRITTEN, purpose);
    if (encoded === undefined) hasHole = true;
    else if (!hasHole) found.push(encoded);
  }
  if (found.length === 0) return undefined;
  const names = found.map(({ attribute }) => attribute).filter((name) => name !== undefined);
  return {
    text: encodePath(
      found.map(({ text }) => text),
      AS_WRITTEN,
    ),
    value: { L: found.map(({ value }) => value) },
    attribute: names.length === 0 ? undefined : names.join(', '),
  };
}

/**
 * Encodes the attributes of a path up to the first that is absent: a path with a hole would be found by a beginning that
 * no reader would ask for.
 */
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
    // Folded with the whole path below; this tells whether it is a text that can be, and names the attribute where it is not.
    encode(value, 'string', form, purpose, attribute);
    segments.push(stringOf(value)!);
    values.push(value);
  }
  if (values.length === 0) return undefined;
  return {
    text: encodePath(segments, form),
    value: { L: values },
    attribute: attributes.slice(0, values.length).join(', '),
  };
}

/** Encodes a value; `purpose` completes "needed for ..." in the error. */
export function encode(
  value: AttributeValue,
  type: ValueType,
  form: TextForm,
  purpose: string,
  attribute?: string,
): Encoded {
  try {
    return { text: encodeValue(value, type, form), value, attribute };
  } catch (error) {
    if (!(error instanceof EncodingError)) throw error;
    const subject = attribute === undefined ? 'the derived text' : `attribute ${attribute}, needed`;
    const code = error instanceof TooLongError ? 'key-too-long' : 'wrong-type';
    throw new PartError(code, `${subject} for ${purpose}, ${error.message}`, attribute);
  }
}
