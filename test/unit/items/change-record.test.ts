import { describe, expect, it } from 'vitest';
import { isOlder, isSequenceNumber, type RecordPlace } from '../../../src/core/items/change-record.ts';

const OLD = '2026-01-01T00:00:00.000';
const NEW = '2026-02-01T00:00:00.000';
const NUMBERS = ['1', '7', '10', '99', '442158450000000000017450439091', '9'.repeat(40), '1'.repeat(41)];

describe('isOlder', () => {
  it('says what the numbers say, however many digits they have', () => {
    const places = NUMBERS.map((sequenceNumber): RecordPlace => ({ stream: OLD, sequenceNumber }));
    for (const [i, left] of places.entries()) {
      for (const [j, right] of places.entries()) expect(isOlder(left, right)).toBe(i < j);
    }
  });

  it('takes numbers with zeros before them for the same', () => {
    const [one, other] = ['7', '007'].map((sequenceNumber) => ({ stream: OLD, sequenceNumber }));
    expect([isOlder(one!, other!), isOlder(other!, one!)]).toEqual([false, false]);
  });

  it('puts every record of a stream before those of a stream that was made later', () => {
    const [old, young] = [
      { stream: OLD, sequenceNumber: '9'.repeat(40) },
      { stream: NEW, sequenceNumber: '1' },
    ];
    expect([isOlder(old, young), isOlder(young, old)]).toEqual([true, false]);
  });
});

it('a sequence number is a decimal text', () => {
  expect(['', 'abc', '-1', '1.0', '1'.repeat(100), 7, undefined].filter(isSequenceNumber)).toEqual([]);
  expect(NUMBERS.filter(isSequenceNumber)).toEqual(NUMBERS);
});
