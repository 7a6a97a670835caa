import type { AttributeValue } from '../../../core/items/attribute-value.ts';
import { EncodingError } from '../../../core/items/attribute-value.ts';
import { PLAIN_DATE } from '../../../core/items/dates.ts';
import {
  AS_WRITTEN,
  encodeString,
  encodeValue,
  escapeValue,
  highestSortKeyOfValue,
  lowestSortKeyOfValue,
  type TextForm,
} from '../../../core/items/encoding.ts';
import { describe } from '../../../core/items/keys.ts';
import { type ExactNumber, numberTextOf } from '../../../core/items/plain.ts';
import type {
  AttributeOrder,
  DeriveModel,
  EdgeOrderModel,
  OrderPart,
  SearchOrder,
} from '../../../core/model/compiled.ts';
import type { DeclaredTexts } from '../../../core/model/declared-texts.ts';
import { nearest } from '../../../core/model/options/nearest.ts';
import { EdgeloomError } from '../../../foundation/errors.ts';
import { isEmptyRange, type KeyRange, prefixRange } from './key-range.ts';

/** A value to compare with. Dates are ISO 8601 strings, ranks are labels. */
export type OrderValue = string | number | bigint | ExactNumber;

export type ArgumentOrder = SearchOrder | { kind: 'parts'; parts: readonly (AttributeOrder | DeriveModel)[] };

export function argumentOrder(order: EdgeOrderModel): ArgumentOrder {
  return order.kind === 'parts' ? { kind: 'parts', parts: order.parts.map(orderOfPart) } : orderOfPart(order);
}

function orderOfPart(part: OrderPart): AttributeOrder | DeriveModel {
  return part.kind === 'source' ? part.order : part;
}

export interface OrderOfQuery {
  order: ArgumentOrder;
  form: TextForm;
  name: string;
  /** Returns undefined if the order's value at this index may be any text. */
  declared: (place: number) => DeclaredTexts;
}

export function encodeArgument(query: OrderOfQuery, value: OrderValue, argument: string): string {
  const { order, form } = query;
  return withArgumentError(query, argument, () => {
    if (order.kind === 'path' || order.kind === 'parts') throw byPathOnlyError(order);
    if (order.kind === 'rank') return `${weightOf(query, value, argument)}-${value as string}`;
    if (order.kind === 'derive') return encodeValue(requireText(value), 'string', form);
    if (order.type === 'number') return encodeValue(requireNumber(value), 'number', AS_WRITTEN);
    return encodeValue(requireText(value), order.type, form);
  });
}

export function encodeWhole(query: OrderOfQuery, value: OrderValue, argument: string, place = 0): string {
  const encoded = encodeArgument(query, value, argument);
  if (typeof value === 'string') requireDeclared(query, value, argument, place);
  return encoded;
}

export function requireDeclared(
  { declared, form, name }: OrderOfQuery,
  value: string,
  argument: string,
  place: number,
): void {
  const texts = declared(place);
  if (texts === undefined || texts.some((text) => form(text) === form(value))) return;
  throw unknownLabel(
    `${argument} of ${name} is ${describe(value)}, which its fields do not have.`,
    'Its fields have',
    value,
    texts,
  );
}

export function unknownLabel(message: string, there: string, value: unknown, texts: Iterable<string>): EdgeloomError {
  const all = [...texts];
  const near = typeof value === 'string' ? nearest(value, all) : undefined;
  const meant = near === undefined ? '' : `Did you mean ${near}? `;
  return new EdgeloomError('unknown-name', message, `${meant}${there} ${all.join(', ')}.`);
}

export function attributeArgument(query: OrderOfQuery, value: OrderValue, argument: string): AttributeValue {
  const { order } = query;
  return withArgumentError(query, argument, () => {
    if (order.kind === 'attribute' && order.type === 'number') {
      const number = requireNumber(value);
      // Throws if DynamoDB doesn't accept the number.
      encodeValue(number, 'number', AS_WRITTEN);
      return { N: number.N.trim() };
    }
    return { S: encodeString(requireText(value).S, AS_WRITTEN) };
  });
}

export function equalRange(encoded: string): KeyRange {
  return { from: lowestSortKeyOfValue(encoded), to: highestSortKeyOfValue(encoded) };
}

/** The lowest and highest value, both inclusive; undefined or null leaves an end open. */
export type Between<Value = OrderValue> = readonly [low: Value | null | undefined, high: Value | null | undefined];

export function endsOf(
  query: OrderOfQuery,
  between: Between | undefined,
): { low: OrderValue | undefined; high: OrderValue | undefined; isRange: boolean } {
  if (between !== undefined && !(Array.isArray(between) && between.length === 2)) {
    throw invalidArgument(
      query,
      'between',
      `should be [lowest, highest], but is ${describe(between)}`,
      'Give two values; undefined leaves an end open.',
    );
  }
  const [low, high] = (between ?? []).map((end) => end ?? undefined);
  return { low, high, isRange: low !== undefined || high !== undefined };
}

/**
 * Both ends are inclusive. A highest value that is a date without a time includes the whole day in UTC or, in an order
 * by text, every text with this prefix.
 */
export function valueRange(
  query: OrderOfQuery,
  argument: string,
  low: OrderValue | undefined,
  high: OrderValue | undefined,
): KeyRange {
  const range = {
    from: low === undefined ? undefined : lowerEnd(query, low, argument),
    to: high === undefined ? undefined : upperEnd(query, high, argument),
  };
  return checkedRange(query, range, low, high);
}

export function checkedRange(
  query: OrderOfQuery,
  range: KeyRange,
  low: OrderValue | undefined,
  high: OrderValue | undefined,
): KeyRange {
  if (!isEmptyRange(range)) return range;
  throw invalidArgument(
    query,
    'between',
    `begins with ${describe(low)}, which comes after ${describe(high)}, so that nothing lies between them`,
    'Exchange the two; reverse gives a range in descending order.',
  );
}

/**
 * Tells whether the value is a plain date, which stands for its whole day. Also true in text orders: native orders
 * can't be of type `date`, so their texts may be times.
 */
export function isDay({ order, form }: OrderOfQuery, value: OrderValue): boolean {
  return order.kind === 'attribute' && order.type !== 'number' && PLAIN_DATE.test(form(String(value)));
}

export function beginningOfDay({ order }: OrderOfQuery, encoded: string): string {
  return order.kind === 'attribute' && order.type === 'date' ? encoded.slice(0, 'YYYY-MM-DDT'.length) : encoded;
}

class ByPathOnlyError extends EncodingError {
  readonly hint = 'Give the leading values as path, and beginsWith or between for the value behind them.';
}

export function byPathOnlyError(order: Extract<ArgumentOrder, { kind: 'path' | 'parts' }>): EncodingError {
  const what =
    order.kind === 'path' ? `the search is by path (${order.attributes.join(', ')})` : 'the order has several values';
  return new ByPathOnlyError(`has no meaning: ${what}`);
}

function lowerEnd(query: OrderOfQuery, value: OrderValue, argument: string): string {
  if (query.order.kind === 'rank') return `${weightOf(query, value, argument)}-`;
  return lowestSortKeyOfValue(encodeArgument(query, value, argument));
}

function upperEnd(query: OrderOfQuery, value: OrderValue, argument: string): string | undefined {
  if (query.order.kind === 'rank') return prefixRange(`${weightOf(query, value, argument)}-`).to;
  const encoded = encodeArgument(query, value, argument);
  return isDay(query, value)
    ? prefixRange(escapeValue(beginningOfDay(query, encoded))).to
    : highestSortKeyOfValue(encoded);
}

export function weightOf(query: OrderOfQuery, label: OrderValue, argument: string): string {
  if (query.order.kind !== 'rank') throw new TypeError('only a rank has weights');
  const weight = typeof label === 'string' ? query.order.weights.get(label) : undefined;
  if (weight !== undefined) return weight;
  throw unknownLabel(
    `${argument} of ${query.name} is ${describe(label)}, which has no declared rank.`,
    'The model ranks',
    label,
    query.order.weights.keys(),
  );
}

export function requireText(value: OrderValue): { S: string } {
  if (typeof value === 'string') return { S: value };
  throw new EncodingError(`should be a text, but is ${describe(value)}`);
}

function requireNumber(value: OrderValue): { N: string } {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : numberTextOf(value);
  if (text !== undefined) return { N: text };
  throw new EncodingError(`should be a number, but is ${describe(value)}`);
}

export function withArgumentError<T>(query: OrderOfQuery, argument: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof EncodingError)) throw error;
    const hint = error instanceof ByPathOnlyError ? error.hint : 'Give a value of the kind that the model declares.';
    throw invalidArgument(query, argument, error.message, hint);
  }
}

export function invalidArgument(query: OrderOfQuery, argument: string, reason: string, hint: string): EdgeloomError {
  return new EdgeloomError('invalid-argument', `${argument} of ${query.name} ${reason}.`, hint);
}

export function checkPartition(
  asked: string,
  attribute: string | undefined,
  partition: string | undefined,
): string | undefined {
  const invalid = (message: string, hint: string): EdgeloomError =>
    new EdgeloomError('invalid-argument', message, hint);
  if (attribute === undefined) {
    if (partition === undefined) return undefined;
    throw invalid(`${asked} has no partition attribute.`, 'Leave it out.');
  }
  if (partition === undefined) {
    throw invalid(`${asked} is partitioned by ${attribute}.`, `Give partition: a value of ${attribute}.`);
  }
  if (typeof partition !== 'string')
    throw invalid(`partition should be a text, but is ${describe(partition)}.`, `Give a value of ${attribute}.`);
  try {
    return encodeString(partition, AS_WRITTEN);
  } catch (error) {
    if (!(error instanceof EncodingError)) throw error;
    throw invalid(`${asked}: partition ${error.message}.`, `Give a value of ${attribute}, as items have it.`);
  }
}
