import { expect, it } from 'vitest';
import { ExactNumber } from '../../src/core/items/plain.ts';
import { losslessNumber, toJson } from '../../src/foundation/exact-json.ts';

it('writes what an item holds: digits that no JS number has, sets, bytes, dates', () => {
  const value = {
    lossless: losslessNumber('12345678901234567890'),
    exact: new ExactNumber('12345678901234567890.5'),
    set: new Set(['a', 'b']),
    bytes: new Uint8Array([1, 2, 3]),
    date: new Date(0),
    nested: [{ exact: new ExactNumber('0.1') }],
  };
  expect(toJson(value)).toBe(
    '{"lossless":12345678901234567890,"exact":"12345678901234567890.5","set":["a","b"],"bytes":"AQID",' +
      '"date":"1970-01-01T00:00:00.000Z","nested":[{"exact":"0.1"}]}',
  );
});

it('writes equal sets alike, whatever the order of their elements', () => {
  expect(toJson(new Set(['b', 'a']))).toBe('["a","b"]');
  const numbers = ['2', '1'].map(losslessNumber);
  expect(toJson(new Set(numbers))).toBe(toJson(new Set(numbers.reverse())));
  expect(toJson({ list: ['b', 'a'] })).toBe('{"list":["b","a"]}');
});
