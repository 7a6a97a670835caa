import { describe, expect, it } from 'vitest';
import {
  type AttributeValue,
  attributeOf,
  canonicalText,
  type Item,
  itemSizeBytes,
  parseDecimal,
  sameItem,
  sameValue,
  setOwn,
  withBinaryAsBytes,
} from '../../../src/core/items/attribute-value.ts';

const bytes = (...values: number[]): Uint8Array => new Uint8Array(values);

describe('sameValue', () => {
  it.each<[AttributeValue, AttributeValue]>([
    [{ S: 'a' }, { S: 'a' }],
    [{ N: '1' }, { N: '1.0' }],
    [{ N: '-0' }, { N: '0' }],
    [{ N: '1e2' }, { N: '100' }],
    [{ SS: ['a', 'b'] }, { SS: ['b', 'a'] }],
    [{ NS: ['1', '2'] }, { NS: ['2.0', '1'] }],
    [{ B: bytes(1, 2) }, { B: Buffer.from([1, 2]) }],
    [{ BS: [bytes(1), bytes(2)] }, { BS: [bytes(2), bytes(1)] }],
    [{ L: [{ N: '1' }] }, { L: [{ N: '1.0' }] }],
    [{ M: { a: { S: '1' }, b: { NULL: true } } }, { M: { b: { NULL: true }, a: { S: '1' } } }],
  ])('%j is %j', (left, right) => {
    expect(sameValue(left, right)).toBe(true);
    expect(sameValue(right, left)).toBe(true);
    expect(canonicalText(left)).toBe(canonicalText(right));
  });

  it.each<[AttributeValue | undefined, AttributeValue | undefined]>([
    [{ S: 'a' }, undefined],
    [{ S: '1' }, { N: '1' }],
    [{ N: '12345678901234567890123456789012345677' }, { N: '12345678901234567890123456789012345678' }],
    [{ SS: ['a'] }, { SS: ['a', 'b'] }],
    [{ SS: ['1'] }, { NS: ['1'] }],
    [{ SS: ['a'] }, { L: [{ S: 'a' }] }],
    [{ L: [{ S: 'a' }, { S: 'b' }] }, { L: [{ S: 'b' }, { S: 'a' }] }],
    [{ L: [] }, { M: {} }],
    [{ BOOL: true }, { BOOL: false }],
    [{ NULL: true }, { BOOL: true }],
    [{ M: { a: { S: '1' } } }, { M: { b: { S: '1' } } }],
    [{ SS: ['a,b'] }, { SS: ['a', 'b'] }],
    [{ B: bytes(1) }, { BS: [bytes(1)] }],
  ])('%j is not %j', (left, right) => {
    expect(sameValue(left, right)).toBe(false);
    expect(sameValue(right, left)).toBe(false);
  });

  it('looks at own attributes only, also at those with names that every object has', () => {
    expect(sameItem({ constructor: { S: 'a' } }, { other: { S: 'a' } })).toBe(false);
    expect(sameItem({ constructor: { S: 'a' } }, { constructor: { S: 'a' } })).toBe(true);
    const proto: Item = {};
    setOwn<AttributeValue>(proto, '__proto__', { S: 'p' });
    expect(sameItem(proto, {})).toBe(false);
    expect(attributeOf({}, 'constructor')).toBeUndefined();
    expect(attributeOf(proto, '__proto__')).toEqual({ S: 'p' });
  });
});

describe('withBinaryAsBytes', () => {
  it('turns the base64 text of Lambda events into bytes, at any depth, and keeps bytes', () => {
    const event = {
      M: { a: { L: [{ B: 'AQI=' }, { BS: ['AQ==', 'Ag=='] }] }, b: { B: bytes(9) }, c: { S: 'AQI=' } },
    } as unknown as AttributeValue;
    expect(withBinaryAsBytes(event)).toEqual({
      M: { a: { L: [{ B: bytes(1, 2) }, { BS: [bytes(1), bytes(2)] }] }, b: { B: bytes(9) }, c: { S: 'AQI=' } },
    });
  });
  const NO_BASE64 = ['***', 'A_-8', 'AQI', 'AQI==', 'AR==', ' AQI=', 'AQI=\n', 'é'];
  it.each(NO_BASE64)('refuses text that is not base64: %j', (text) => {
    for (const value of [{ B: text }, { BS: ['AQ==', text] }, { L: [{ M: { a: { B: text } } }] }]) {
      const broken = value as unknown as AttributeValue;
      expect(() => withBinaryAsBytes(broken)).toThrow('has binary data that is not base64');
      // It is no other value by chance, either.
      expect(sameValue(broken, { B: bytes() })).toBe(false);
    }
  });
});

describe('parseDecimal', () => {
  it.each(['', '.', '-', 'e5', 'NaN', 'Infinity', '0x1', '1_000', '1,5', '--1'])('%j is no number', (text) => {
    expect(parseDecimal(text)).toBeUndefined();
  });
});

describe('itemSizeBytes', () => {
  // DynamoDB's rules: names and texts in UTF-8, numbers a byte for each pair of digits (measured on DynamoDB Local) and one
  // more, lists and maps 3 bytes and 1 for each entry.
  it.each<[AttributeValue, number]>([
    [{ S: 'é\u{1F600}' }, 6],
    [{ N: '0' }, 1],
    [{ N: '100' }, 2],
    [{ N: '-12' }, 3],
    [{ N: '1.2' }, 3],
    [{ N: '120' }, 3],
    [{ N: '0.05' }, 2],
    [{ N: '-1.50' }, 4],
    [{ N: '12345678901234567890123456789012345678' }, 20],
    [{ B: bytes(1, 2, 3) }, 3],
    [{ BOOL: false }, 1],
    [{ NULL: true }, 1],
    [{ SS: ['a', 'bc'] }, 3],
    [{ NS: ['1', '22'] }, 4],
    [{ BS: [bytes(1), bytes(1, 2)] }, 3],
    [{ L: [] }, 3],
    [{ L: [{ S: 'ab' }, { NULL: true }] }, 3 + 2 + 2 + 1],
    [{ M: {} }, 3],
    [{ M: { é: { S: 'ab' } } }, 3 + 1 + 2 + 2],
  ])('%j has %i bytes beside its name', (value, size) => {
    expect(itemSizeBytes({ é: value })).toBe(2 + size);
  });
});
