import type { AttributeValue } from '../model/attribute-value.ts';
import type { OrderModel } from '../model/compile.ts';
import { EncodingError, encodeValue, type ValueType } from '../model/encoding.ts';
import { PartError, type Subject } from './subject.ts';

/** An order's encoded text, the value it came from, and the attribute to name in errors. */
export interface Encoded {
  text: string;
  value: AttributeValue;
  attribute?: string;
}

/** Encodes what an order takes from an image; undefined where the image leaves the order out. */
export function encodeOrder(order: OrderModel, subject: Subject, fold: boolean, purpose: string): Encoded | undefined {
  if (order.kind === 'derive') {
    const text = subject.compute(order.compute, purpose);
    return text === undefined ? undefined : encode({ S: text }, 'string', fold, purpose);
  }
  const value = subject.attribute(order.attribute);
  if (value === undefined) return undefined;
  if (order.kind === 'attribute') return encode(value, order.type, fold, purpose, order.attribute);
  const label = encode(value, 'string', false, purpose, order.attribute);
  const weight = order.weights.get(label.text);
  if (weight === undefined) {
    const declared = [...order.weights.keys()].join(', ');
    const message = `attribute ${order.attribute}, needed for ${purpose}, is ${JSON.stringify(label.text)}, which has no declared rank (${declared})`;
    throw new PartError('undeclared-label', message, order.attribute);
  }
  return { text: `${weight}-${label.text}`, value, attribute: order.attribute };
}

/** Encodes a value; `purpose` completes "needed for ..." in the error. */
export function encode(
  value: AttributeValue,
  type: ValueType,
  fold: boolean,
  purpose: string,
  attribute?: string,
): Encoded {
  try {
    return { text: encodeValue(value, type, fold), value, attribute };
  } catch (error) {
    if (!(error instanceof EncodingError)) throw error;
    const subject = attribute === undefined ? 'the derived text' : `attribute ${attribute}, needed`;
    throw new PartError('wrong-type', `${subject} for ${purpose}, ${error.message}`, attribute);
  }
}
