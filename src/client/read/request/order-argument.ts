import {
  EncodingError,
  encodePath,
  encodeString,
  encodeValue,
  escapeValue,
  highestSortKeyOfValue,
  lowestSortKeyOfValue,
  PLAIN_DATE,
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
import { EdgeloomError } from '../../../foundation/errors.ts';
import { isEmptyRange, type KeyRange, prefixRange } from './key-range.ts';

/**
 * Arguments of queries as ranges of sort keys: encoded as the stored values are, by the order's type.
 */

/**
 * A value to compare with. For an order of type number: a number, bigint, decimal text or `ExactNumber`, none of which
 * loses digits; for type date: an ISO 8601 text; for a rank: a label; else a text.
 */
export type OrderValue = string | number | bigint | ExactNumber;

/** An order as arguments are encoded for it: whose attribute its value is makes no difference to them. */
export type ArgumentOrder = SearchOrder | { kind: 'parts'; parts: readonly (AttributeOrder | DeriveModel)[] };

/** An order of an edge type, for arguments. */
export function argumentOrder(order: EdgeOrderModel): ArgumentOrder {
  return order.kind === 'parts' ? { kind: 'parts', parts: order.parts.map(orderOfPart) } : orderOfPart(order);
}

function orderOfPart(part: OrderPart): AttributeOrder | DeriveModel {
  return part.kind === 'source' ? part.order : part;
}

/** An order with what its values undergo, and its name for messages, such as `search USER.name`. */
export interface OrderOfQuery {
  order: ArgumentOrder;
  caseInsensitive: boolean;
  name: string;
}

/** Dates as they are encoded: some date begins with a text exactly if the end of one of these makes it a date. */
const DATE_ENDS = ['0000-01-01T00:00:00.', '0000-10-10T00:00:00.'] as const;

/** The encoded form of a value; throws `invalid-argument` or `unknown-label`. */
export function encodeArgument(query: OrderOfQuery, value: OrderValue, argument: string): string {
  const { order, caseInsensitive: fold } = query;
  return withArgumentError(query, argument, () => {
    if (order.kind === 'path' || order.kind === 'parts') throw byPathOnlyError(order);
    if (order.kind === 'rank') return `${weightOf(query, value, argument)}-${value as string}`;
    if (order.kind === 'derive') return encodeValue(requireText(value), 'string', fold);
    if (order.type === 'number') return encodeValue(requireNumber(value), 'number', false);
    return encodeValue(requireText(value), order.type, fold);
  });
}

/** The sort keys of one value. */
export function equalRange(encoded: string): KeyRange {
  return { from: lowestSortKeyOfValue(encoded), to: highestSortKeyOfValue(encoded) };
}

/** The lowest and the highest value of a range, both inclusive; one that is undefined or null is open. */
export type Between<Value = OrderValue> = readonly [low: Value | null | undefined, high: Value | null | undefined];

/** The ends of a range as it is given; `isRange`: it has one. Throws `invalid-argument` for what is no pair. */
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
 * The sort keys from one value to another, both inclusive, either missing; of a rank, from and to the labels' weights. A date without a time
 * as the highest is the whole day in UTC.
 *
 * @param argument what the values come from, for messages.
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

function checkedRange(
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

/** The sort keys of the values that begin with a text; of dates, with the text of a UTC date such as `2020-07`. */
export function beginsWithRange(query: OrderOfQuery, prefix: OrderValue): KeyRange {
  return prefixRange(escapeValue(encodePrefix(query, prefix)));
}

/** The encoded form of the beginning of a value. */
function encodePrefix(query: OrderOfQuery, prefix: OrderValue): string {
  const { order, caseInsensitive: fold } = query;
  const argument = 'beginsWith';
  if (order.kind === 'rank' || (order.kind === 'attribute' && order.type === 'number')) {
    const kind = order.kind === 'rank' ? 'a rank' : 'a number';
    throw invalidArgument(query, argument, `has no meaning: it is ordered by ${kind}`, 'Ask for a range of values.');
  }
  return withArgumentError(query, argument, () => {
    if (order.kind === 'path' || order.kind === 'parts') throw byPathOnlyError(order);
    const text = requireText(prefix).S;
    if (order.kind !== 'attribute' || order.type !== 'date') return encodeString(text, fold);
    if (beginsDate(text)) return text;
    throw new EncodingError(`should be the beginning of a date in UTC, such as 2020-07, but is ${describe(text)}`);
  });
}

/** Tells whether some date begins with a text, such as `2020`, `2020-0` and `2020-07-01T09`, but not `2020-13`. */
function beginsDate(text: string): boolean {
  return DATE_ENDS.some((end) => {
    try {
      // The digit at the end keeps the zeros of a fraction, which an encoded date does not end with.
      return encodeValue({ S: `${text}${end.slice(text.length)}1` }, 'date', false).startsWith(text);
    } catch (error) {
      if (error instanceof EncodingError) return false;
      throw error;
    }
  });
}

/** The beginning of a path, encoded; throws `invalid-argument` where the search is not by path, or by a shorter one. */
export function encodePathArgument(query: OrderOfQuery, path: readonly string[]): string {
  const { order, caseInsensitive: fold } = query;
  if (order.kind !== 'path')
    throw invalidArgument(
      query,
      'path',
      'has no meaning: the search is by one value',
      'Ask with equals, beginsWith or a range.',
    );
  return withArgumentError(query, 'path', () => {
    if (!Array.isArray(path)) throw new EncodingError(`should be a list of segments, but is ${describe(path)}`);
    if (path.length <= order.attributes.length)
      return encodePath(
        path.map((segment) => requireText(segment).S),
        fold,
      );
    throw new EncodingError(`has ${path.length} segments; the path is ${order.attributes.join(', ')}`);
  });
}

/**
 * The sort keys of a search by path that begin with whole segments, and whose next segment is in a range. Throws `invalid-argument` as
 * `encodePathArgument` does.
 */
export function pathRange(query: OrderOfQuery, range: PartRange): KeyRange {
  const { order } = query;
  if (order.kind !== 'path')
    throw invalidArgument(
      query,
      'path',
      'has no meaning: the search is by one value',
      'Ask with equals, beginsWith or a range.',
    );
  const parts = order.attributes.map((attribute) => ({ kind: 'attribute', attribute, type: 'string' }) as const);
  return partsRange({ ...query, order: { kind: 'parts', parts } }, range);
}

/** The range of one part of an order by several values, behind leading values that are given whole. */
export interface PartRange {
  path?: readonly OrderValue[] | undefined;
  between?: Between | undefined;
  beginsWith?: string | undefined;
}

/** The sort keys of an order by several values that begin with the leading ones, and whose next value is in a range. */
export function partsRange(query: OrderOfQuery, { path = [], between, beginsWith }: PartRange): KeyRange {
  const { order } = query;
  const { low, high, isRange } = endsOf(query, between);
  if (order.kind !== 'parts')
    throw invalidArgument(
      query,
      'path',
      'has no meaning: it is ordered by one value',
      'Ask with equals, atLeast, beginsWith or between.',
    );
  return withArgumentError(query, 'path', () => {
    const hasRange = isRange || beginsWith !== undefined;
    if (!Array.isArray(path)) throw new EncodingError(`should be a list of values, but is ${describe(path)}`);
    if (path.length + (hasRange ? 1 : 0) > order.parts.length) {
      const more = hasRange ? ' and a range behind them' : '';
      throw new EncodingError(`has ${path.length} values${more}; the order has ${order.parts.length}`);
    }
    const ofPart = (i: number): OrderOfQuery => ({ ...query, order: order.parts[i]! });
    const leading = encodePath(
      path.map((value, i) => encodeArgument(ofPart(i), value, 'path')),
      false,
    );
    const all = prefixRange(escapeValue(leading));
    if (!hasRange) return all;
    const part = ofPart(path.length);
    // An edge that lacks the value has a key that ends after the leading values. The key of an empty value sorts above it and below all others.
    const first = escapeValue(leading + encodePath([''], false));
    if (beginsWith !== undefined) {
      const prefix = encodeSegment(encodePrefix(part, beginsWith));
      return prefix === '' ? { from: first, to: all.to } : prefixRange(escapeValue(leading + prefix));
    }
    const start = low === undefined ? '' : encodeSegment(lowestText(part, low, 'between'));
    const lowest = start === '' ? first : escapeValue(leading + start);
    const highest = high === undefined ? all.to : prefixRange(escapeValue(leading + highestText(part, high))).to;
    return checkedRange(query, { from: lowest, to: highest }, low, high);
  });
}

/** A segment of a path, without its end. */
function encodeSegment(text: string): string {
  return encodePath([text], false).slice(0, -1);
}

/** The lowest text of a value; of a rank, of all labels of its weight. */
function lowestText(query: OrderOfQuery, value: OrderValue, argument: string): string {
  return query.order.kind === 'rank' ? `${weightOf(query, value, argument)}-` : encodeArgument(query, value, argument);
}

/**
 * The beginning of the last keys of a range that ends with a value: the value as a whole segment. In a rank order the value is a
 * label, and the beginning is its weight, so that all labels of this weight are in the range. A day has the beginning of
 * its times.
 */
function highestText(query: OrderOfQuery, value: OrderValue): string {
  if (query.order.kind === 'rank') return encodeSegment(`${weightOf(query, value, 'between')}-`);
  const encoded = encodeArgument(query, value, 'between');
  return isDay(query, value) ? encodeSegment(beginningOfDay(encoded)) : encodePath([encoded], false);
}

/** Tells whether a value is a date without a time: as the end of a range it is the whole day. */
function isDay({ order }: OrderOfQuery, value: OrderValue): boolean {
  return order.kind === 'attribute' && order.type === 'date' && PLAIN_DATE.test(String(value));
}

/** The beginning of all encoded times of a day. */
function beginningOfDay(encoded: string): string {
  return encoded.slice(0, 'YYYY-MM-DDT'.length);
}

/** An argument that is about one value, for an order of several. */
class ByPathOnlyError extends EncodingError {
  readonly hint = 'Give the leading values as path, and beginsWith or between for the value behind them.';
}

function byPathOnlyError(order: Extract<ArgumentOrder, { kind: 'path' | 'parts' }>): EncodingError {
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
  return isDay(query, value) ? prefixRange(beginningOfDay(encoded)).to : highestSortKeyOfValue(encoded);
}

function weightOf(query: OrderOfQuery, label: OrderValue, argument: string): string {
  if (query.order.kind !== 'rank') throw new TypeError('only a rank has weights');
  const weight = typeof label === 'string' ? query.order.weights.get(label) : undefined;
  if (weight !== undefined) return weight;
  throw new EdgeloomError(
    'unknown-label',
    `${argument} of ${query.name} is ${describe(label)}, which has no declared rank.`,
    `The model ranks ${[...query.order.weights.keys()].join(', ')}.`,
  );
}

function requireText(value: OrderValue): { S: string } {
  if (typeof value === 'string') return { S: value };
  throw new EncodingError(`should be a text, but is ${describe(value)}`);
}

function requireNumber(value: OrderValue): { N: string } {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : numberTextOf(value);
  if (text !== undefined) return { N: text };
  throw new EncodingError(`should be a number, but is ${describe(value)}`);
}

function withArgumentError<T>(query: OrderOfQuery, argument: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof EncodingError)) throw error;
    const hint = error instanceof ByPathOnlyError ? error.hint : 'Give a value of the kind that the model declares.';
    throw invalidArgument(query, argument, error.message, hint);
  }
}

function invalidArgument(query: OrderOfQuery, argument: string, reason: string, hint: string): EdgeloomError {
  return new EdgeloomError('invalid-argument', `${argument} of ${query.name} ${reason}.`, hint);
}

/**
 * Checks the partition of a request, and gives it encoded, as index partitions have it; undefined where the model partitions by no
 * attribute. Throws `invalid-argument` for a partition that is missing, unfit, or given without such an attribute.
 *
 * @param asked the subject of the messages.
 */
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
    return encodeString(partition, false);
  } catch (error) {
    if (!(error instanceof EncodingError)) throw error;
    throw invalid(`${asked}: partition ${error.message}.`, `Give a value of ${attribute}, as items have it.`);
  }
}
