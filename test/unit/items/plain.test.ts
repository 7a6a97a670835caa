import { describe, expect, it } from 'vitest';
import { type AttributeValue, setOwn } from '../../../src/core/items/attribute-value.ts';
import { ExactNumber, exactNumber, toPlainItem } from '../../../src/core/items/plain.ts';

describe('numbers', () => {
  it.each([
    ['1', 1],
    ['-1.5', -1.5],
    ['0.1', 0.1],
    ['100', 100],
    ['123456789012345', 123456789012345],
    ['9007199254740991', 9007199254740991],
    ['0.0000001', 1e-7],
    ['1.50', 1.5],
  ])('%s is a JS number, which holds it exactly', (text, number) => expect(exactNumber(text)).toBe(number));

  it.each([
    '9007199254740992',
    '1000000000000000000',
    `1${'0'.repeat(125)}`,
    '12345678901234567890',
    '0.1234567890123456789',
    '12345678901234567890123456789012345678',
  ])('%s keeps its digits as an ExactNumber', (text) => {
    const number = exactNumber(text);
    expect(number).toBeInstanceOf(ExactNumber);
    expect(String(number)).toBe(text);
    expect(JSON.stringify(number)).toBe(`"${text}"`);
  });
});

describe('plain values', () => {
  it('take attributes named constructor and __proto__ as data', () => {
    const item = { constructor: { S: 'c' } };
    setOwn<AttributeValue>(item as Record<string, AttributeValue>, '__proto__', { S: 'p' });
    const plain = toPlainItem(item);
    expect(Object.entries(plain)).toEqual([
      ['constructor', 'c'],
      ['__proto__', 'p'],
    ]);
    expect(Object.getPrototypeOf(plain)).toBe(Object.prototype);
  });
});
