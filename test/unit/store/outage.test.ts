import { describe, expect, it } from 'vitest';
import { StoreError } from '../../../src/foundation/errors.ts';
import { isRefusal } from '../../../src/store/classify.ts';
import { withOutageLimit } from '../../../src/store/outage.ts';

/** A store with one call, which fails with `code` unless it is empty. */
function failing() {
  const state = { nowMs: 0, code: '' };
  const told: [string, number, number][] = [];
  const inner = {
    get: async () => {
      if (state.code !== '') throw new StoreError('retryable', state.code, 'no answer');
      return 'found';
    },
  };
  const store = withOutageLimit(inner, {
    now: () => state.nowMs,
    onFailing: ({ code }, failingMs, leftMs) => told.push([code, failingMs, leftMs]),
  });
  const kindAt = async (nowMs: number, code: string): Promise<string> => {
    Object.assign(state, { nowMs, code });
    return await store.get().catch((error: StoreError) => error.kind);
  };
  return { store, state, told, kindAt };
}

describe('a store with a limit to an outage', () => {
  it('tells of it after some seconds and now and then, and ends it', async () => {
    const { told, kindAt } = failing();
    for (const ms of [0, 4_000, 6_000, 8_000, 37_000]) expect(await kindAt(ms, 'no-connection')).toBe('retryable');
    expect(told).toEqual([
      ['no-connection', 6_000, 54_000],
      ['no-connection', 37_000, 23_000],
    ]);
    expect(await kindAt(60_000, 'no-connection')).toBe('fatal');
  });

  it('begins again after each call that succeeds', async () => {
    const { kindAt, told } = failing();
    await kindAt(0, 'no-connection');
    expect(await kindAt(59_000, '')).toBe('found');
    expect(await kindAt(61_000, 'no-connection')).toBe('retryable');
    expect(told).toEqual([]);
  });

  it('waits longer for a table that is throttled than for an endpoint that refuses', async () => {
    const { kindAt } = failing();
    await kindAt(0, 'ThrottlingException');
    expect(await kindAt(590_000, 'no-connection')).toBe('retryable');
    expect(await kindAt(595_000, 'ThrottlingException')).toBe('retryable');
    expect(await kindAt(600_000, 'ThrottlingException')).toBe('fatal');
  });

  it('leaves open whether the last call changed anything', async () => {
    const { store, state, kindAt } = failing();
    const endOf = async (code: string): Promise<boolean> => {
      await kindAt(0, '');
      await kindAt(0, code);
      state.nowMs = 600_000;
      return isRefusal(await store.get().then(expect.fail, (error: StoreError) => error));
    };
    expect(await endOf('TimeoutError')).toBe(false);
    expect(await endOf('no-connection')).toBe(true);
  });

  it('leaves alone what a call returns without a promise', () => {
    expect(withOutageLimit({ name: 'table', size: () => 3 })).toMatchObject({ name: 'table' });
    expect(withOutageLimit({ size: () => 3 }).size()).toBe(3);
  });
});
