import { describe, expect, it } from 'vitest';
import type { AttributeValue } from '../../../src/core/items/attribute-value.ts';
import { EncodingError } from '../../../src/core/items/attribute-value.ts';
import { encodeDate } from '../../../src/core/items/dates.ts';
import { AS_WRITTEN, encodeNumber, encodeValue, isWellFormed } from '../../../src/core/items/encoding.ts';

describe('numbers', () => {
  it('are the same text however they are written', () => {
    for (const texts of [
      ['0', '-0', '0.00', '0e5'],
      ['1', '1.0', '01', '+1', '1e0', '10e-1'],
      ['-1500', '-1.5e3', '-1500.00', '-15E2'],
    ]) {
      expect(new Set(texts.map(encodeNumber)).size).toBe(1);
    }
  });
  it.each(['', 'NaN', 'Infinity', '0x10', '1e', '.', '1 2', '1E126', '-1E126', '1E-131', '1'.repeat(39)])(
    'refuse %j',
    (text) => expect(() => encodeNumber(text)).toThrow(EncodingError),
  );
});

describe('dates', () => {
  it.each([
    ['2020-07-01', '2020-07-01T00:00:00'],
    ['2020-07-01T09:30', '2020-07-01T09:30:00'],
    ['2020-07-01 09:30:15', '2020-07-01T09:30:15'],
    ['2020-07-01T09:30:15Z', '2020-07-01T09:30:15'],
    ['2020-07-01T09:30:15.500Z', '2020-07-01T09:30:15.5'],
    ['2020-07-01T09:30:15.123456789z', '2020-07-01T09:30:15.123456789'],
    ['2020-07-01T09:30:15,25+02:00', '2020-07-01T07:30:15.25'],
    ['2020-01-01T00:00:00+0530', '2019-12-31T18:30:00'],
    ['2019-12-31T23:00:00-02', '2020-01-01T01:00:00'],
    ['0000-01-01', '0000-01-01T00:00:00'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59'],
    ['2024-02-29', '2024-02-29T00:00:00'],
  ])('%s becomes %s, in UTC', (text, encoded) => expect(encodeDate(text)).toBe(encoded));

  it('without an offset do not depend on the time zone of the machine', () => {
    const before = process.env['TZ'];
    try {
      process.env['TZ'] = 'America/New_York';
      expect(encodeDate('2020-07-01T09:30')).toBe('2020-07-01T09:30:00');
    } finally {
      if (before === undefined) delete process.env['TZ'];
      else process.env['TZ'] = before;
    }
  });

  it.each([
    ...['', 'yesterday', '2020', '2020-07', '20200701', '2020-13-01', '2020-02-30', '2023-02-29', '2020-07-01T24:00'],
    ...['2020-07-01T09:60', '2020-07-01T09:30:60', '2020-07-01T09', '2020-07-01T09:30+24:00', '2020-07-01T09:30+02:60'],
    ...['0000-01-01T00:00:00+01:00', '9999-12-31T23:59:59-01:00', ' 2020-07-01'],
  ])('refuse %j', (text) => expect(() => encodeDate(text)).toThrow(EncodingError));
});

describe('strings', () => {
  it('with a lone surrogate are refused', () => {
    expect(() => encodeValue({ S: 'a\udc00' }, 'string', AS_WRITTEN)).toThrow('surrogate');
    expect(isWellFormed('\u{1F600}')).toBe(true);
    expect(isWellFormed('\ud83d')).toBe(false);
  });
});

describe('a value of another type than the order has is refused in words', () => {
  it.each<[AttributeValue, 'string' | 'number' | 'date', string]>([
    [{ N: '1' }, 'string', 'should be a string, but is a number'],
    [{ S: '1' }, 'number', 'should be a number, but is a string'],
    [{ N: '2020' }, 'date', 'should be an ISO 8601 date in a string, but is a number'],
    [{ NULL: true }, 'string', 'should be a string, but is null'],
    [{ BOOL: true }, 'number', 'should be a number, but is a boolean'],
    [{ SS: ['a'] }, 'string', 'should be a string, but is a string set'],
    [{ B: new Uint8Array() }, 'string', 'should be a string, but is binary'],
    [{ M: {} }, 'date', 'should be an ISO 8601 date in a string, but is a map'],
    [{ L: [] }, 'string', 'should be a string, but is a list'],
  ])('%j as %s', (value, type, reason) => expect(() => encodeValue(value, type, AS_WRITTEN)).toThrow(reason));
});
