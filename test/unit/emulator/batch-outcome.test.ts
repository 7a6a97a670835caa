import { describe, expect, it } from 'vitest';
import { decideAfterFailure, doneCount } from '../../../packages/local/emulator/mapping/batch-outcome.ts';

const BATCH = ['10', '11', '12', '13'];

/** What a handler's answer leaves done. */
function done(payload: unknown, readsItems = true): number {
  return doneCount(BATCH, { kind: 'response', payload }, readsItems);
}

/** A report of these records. */
function failing(...identifiers: unknown[]): object {
  return { batchItemFailures: identifiers.map((itemIdentifier) => ({ itemIdentifier })) };
}

describe('an answer', () => {
  it.each<[string, unknown]>([
    ['an empty list', failing()],
    ['a list that is null', { batchItemFailures: null }],
    ['an empty object', {}],
    ['null', null],
    ['nothing', undefined],
  ])('is a full success: %s', (_name, payload) => {
    expect(done(payload)).toBe(4);
  });

  it.each<[string, unknown]>([
    ['an empty identifier', failing('')],
    ['an identifier that is null', failing(null)],
    ['an identifier of another batch', failing('99')],
    ['a number', failing(12)],
    ['a bad one beside a good one', failing('12', '')],
    ['another key', { batchItemFailures: [{ id: '12' }] }],
    ['an element that is no object', { batchItemFailures: ['12'] }],
    ['an object for the list', { batchItemFailures: {} }],
    ['a text', 'ok'],
    ['a list', []],
  ])('fails the whole batch: %s', (_name, payload) => {
    expect(done(payload)).toBe(0);
  });

  it('is done up to the lowest record that it reports, whatever the order of the report', () => {
    expect(done(failing('13', '11', '12'))).toBe(1);
    expect(done(failing('10'))).toBe(0);
    expect(done(failing('13'))).toBe(3);
  });

  it('is a success whatever it says, where failures of items are not read', () => {
    expect(done(failing('11'), false)).toBe(4);
    expect(done('ok', false)).toBe(4);
  });

  it('of a function that failed leaves nothing done', () => {
    expect(doneCount(BATCH, { kind: 'error', errorType: 'Error', errorMessage: 'no' }, true)).toBe(0);
  });
});

describe('what is left of a batch', () => {
  const part = { records: BATCH, failedTries: 0, invocations: 1 };

  it('is tried again in one piece, and given up after the last retry', () => {
    const policy = { bisects: false, maximumRetries: 1 };
    const first = decideAfterFailure(part, 2, policy);
    const left = { records: ['12', '13'], failedTries: 1, invocations: 1 };
    expect(first).toEqual({ next: 'retry', parts: [left] });
    expect(decideAfterFailure(left, 0, policy)).toEqual({ next: 'give-up', left: { ...left, failedTries: 2 } });
  });

  it('is split at the reported record, which is no retry', () => {
    expect(decideAfterFailure(part, 1, { bisects: true, maximumRetries: 0 })).toEqual({
      next: 'split',
      parts: [{ records: ['11', '12', '13'], failedTries: 0, invocations: 1 }],
    });
  });

  it('is halved where nothing was done, until one record is left', () => {
    const policy = { bisects: true, maximumRetries: 0 };
    const halves = decideAfterFailure({ ...part, records: ['10', '11', '12'] }, 0, policy);
    expect(halves).toMatchObject({ next: 'split', parts: [{ records: ['10', '11'] }, { records: ['12'] }] });
    expect(decideAfterFailure({ ...part, records: ['12'] }, 0, policy)).toMatchObject({ next: 'give-up' });
  });
});
