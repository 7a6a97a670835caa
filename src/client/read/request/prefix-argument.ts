import { EncodingError } from '../../../core/items/attribute-value.ts';
import { AS_WRITTEN, encodePath, encodeString, encodeValue, escapeValue } from '../../../core/items/encoding.ts';
import { describe } from '../../../core/items/keys.ts';
import type { EdgeloomError } from '../../../foundation/errors.ts';
import { type KeyRange, prefixRange } from './key-range.ts';
import {
  type Between,
  beginningOfDay,
  byPathOnlyError,
  checkedRange,
  encodeArgument,
  encodeWhole,
  endsOf,
  invalidArgument,
  isDay,
  type OrderOfQuery,
  type OrderValue,
  requireDeclared,
  requireText,
  weightOf,
  withArgumentError,
} from './order-argument.ts';

export function encodePathArgument(query: OrderOfQuery, path: readonly string[]): string {
  const { order, form } = query;
  if (order.kind !== 'path') throw noPathError(query);
  return withArgumentError(query, 'path', () => {
    if (!Array.isArray(path)) throw new EncodingError(`should be a list of segments, but is ${describe(path)}`);
    if (path.length <= order.attributes.length) {
      for (const [i, segment] of path.entries()) requireDeclared(query, requireText(segment).S, 'path', i);
      return encodePath(path, form);
    }
    throw new EncodingError(`has ${path.length} segments; the path is ${order.attributes.join(', ')}`);
  });
}

export function pathRange(query: OrderOfQuery, range: PartRange): KeyRange {
  const { order } = query;
  if (order.kind !== 'path') throw noPathError(query);
  const parts = order.attributes.map((attribute) => ({ kind: 'attribute', attribute, type: 'string' }) as const);
  return partsRange({ ...query, order: { kind: 'parts', parts } }, range);
}

function noPathError(query: OrderOfQuery): EdgeloomError {
  return invalidArgument(
    query,
    'path',
    'has no meaning: the search is by one value',
    'Ask with equals, beginsWith or a range.',
  );
}

export interface PartRange {
  path?: readonly OrderValue[] | undefined;
  between?: Between | undefined;
  beginsWith?: string | undefined;
}

/** Returns the range of keys with the leading values `path` whose next value is within the bounds. */
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
      path.map((value, i) => encodeWhole(ofPart(i), value, 'path', i)),
      AS_WRITTEN,
    );
    const all = prefixRange(escapeValue(leading));
    if (!hasRange) return all;
    const part = ofPart(path.length);
    // A key without the next value ends after the leading values. The key of an empty value sorts right after it.
    const first = escapeValue(leading + encodePath([''], AS_WRITTEN));
    if (beginsWith !== undefined) {
      const prefix = encodeSegment(encodePrefix(part, beginsWith));
      return prefix === '' ? { from: first, to: all.to } : prefixRange(escapeValue(leading + prefix));
    }
    const start = low === undefined ? '' : encodeSegment(lowestText(part, low));
    const lowest = start === '' ? first : escapeValue(leading + start);
    const highest = high === undefined ? all.to : prefixRange(escapeValue(leading + highestPrefix(part, high))).to;
    return checkedRange(query, { from: lowest, to: highest }, low, high);
  });
}

function encodeSegment(text: string): string {
  return encodePath([text], AS_WRITTEN).slice(0, -1);
}

function lowestText(query: OrderOfQuery, value: OrderValue): string {
  if (query.order.kind === 'rank') return `${weightOf(query, value, 'between')}-`;
  return encodeArgument(query, value, 'between');
}

/** Returns the prefix of all keys that have this value or, for a day, a time within the day. */
function highestPrefix(query: OrderOfQuery, value: OrderValue): string {
  const lowest = lowestText(query, value);
  if (isDay(query, value)) return encodeSegment(beginningOfDay(query, lowest));
  return query.order.kind === 'rank' ? encodeSegment(lowest) : encodePath([lowest], AS_WRITTEN);
}

/** A string is the beginning of a date if, and only if, one of these endings completes it. */
const DATE_ENDS = ['0000-01-01T00:00:00.', '0000-10-10T00:00:00.'] as const;

export function beginsWithRange(query: OrderOfQuery, prefix: OrderValue): KeyRange {
  return prefixRange(escapeValue(encodePrefix(query, prefix)));
}

function encodePrefix(query: OrderOfQuery, prefix: OrderValue): string {
  const { order, form } = query;
  const argument = 'beginsWith';
  if (order.kind === 'rank' || (order.kind === 'attribute' && order.type === 'number')) {
    const kind = order.kind === 'rank' ? 'a rank' : 'a number';
    throw invalidArgument(query, argument, `has no meaning: it is ordered by ${kind}`, 'Ask for a range of values.');
  }
  return withArgumentError(query, argument, () => {
    if (order.kind === 'path' || order.kind === 'parts') throw byPathOnlyError(order);
    const text = requireText(prefix).S;
    if (order.kind !== 'attribute' || order.type !== 'date') return encodeString(text, form);
    if (beginsDate(text)) return text;
    throw new EncodingError(`should be the beginning of a date in UTC, such as 2020-07, but is ${describe(text)}`);
  });
}

function beginsDate(text: string): boolean {
  return DATE_ENDS.some((end) => {
    try {
      // The final digit protects zeros at the end of a fraction, which encoding would remove.
      return encodeValue({ S: `${text}${end.slice(text.length)}1` }, 'date', AS_WRITTEN).startsWith(text);
    } catch (error) {
      if (error instanceof EncodingError) return false;
      throw error;
    }
  });
}
