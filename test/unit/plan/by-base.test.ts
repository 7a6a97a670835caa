import { describe, expect, it } from 'vitest';
import type { ChangeRecord } from '../../../src/core/items/change-record.ts';
import { isBefore, isDecidedByBase } from '../../../src/core/plan/by-base.ts';

const record = (fields: Partial<ChangeRecord>): ChangeRecord => ({
  ...{
    source: 'USER-1',
    target: 'USER-1',
    sequenceNumber: '1',
    position: '1',
    oldImage: undefined,
    newImage: undefined,
  },
  ...fields,
});
const NEW = record({ createdAtSeconds: 10 });
const CONTRADICTORY = record({ createdAtSeconds: 10, contradiction: 'its images are of two items' });

describe('the time of a record', () => {
  it('is before a later moment, and may be before any if the record does not tell it', () => {
    expect([9_000, 10_000, 10_001].map((ms) => isBefore(NEW, ms))).toEqual([false, false, true]);
    expect([0, 1].map((ms) => isBefore(record({}), ms))).toEqual([false, true]);
  });

  it('is nothing that a contradiction of its images changes', () => {
    expect([0, 9_000, 10_001].map((ms) => isBefore(CONTRADICTORY, ms))).toEqual([false, false, true]);
  });
});

describe('the base item', () => {
  it('decides instead of an old record, and instead of one that contradicts itself', () => {
    expect([0, 9_000, 10_001].map((ms) => isDecidedByBase(NEW, ms))).toEqual([false, false, true]);
    expect(isDecidedByBase(CONTRADICTORY, 0)).toBe(true);
  });
});
