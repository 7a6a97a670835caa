import { describe, expect, it } from 'vitest';
import type { UpdateOutcome } from '../../../src/core/store-port.ts';
import { StoreError } from '../../../src/foundation/errors.ts';
import { isRefusal } from '../../../src/store/classify.ts';
import { MeteredStore } from '../../../src/store/metered.ts';
import { withOutageLimit } from '../../../src/store/outage.ts';
import { goalGraph } from '../../support/contracts-model.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

const retryable = (code: string): StoreError => new StoreError('retryable', code, 'no answer');

/** A store whose `get` fails with `code` unless it is empty, and whose `updateMany` has an outcome for each code. */
function failing() {
  const state = { nowMs: 0, code: '' };
  const told: [string, number, number][] = [];
  const inner = {
    get: async () => {
      if (state.code !== '') throw retryable(state.code);
      return 'found';
    },
    wait: async (call: Promise<unknown>) => await call,
    refuse: async () => {
      throw new StoreError('terminal', 'ValidationException', 'The item is too large.');
    },
    updateMany: async (codes: readonly string[]): Promise<readonly UpdateOutcome[]> =>
      codes.map((code) => (code === '' ? { applied: true, wcu: 1 } : { applied: false, error: retryable(code) })),
  };
  const store = withOutageLimit(inner, {
    now: () => state.nowMs,
    onFailing: ({ code }, failingMs, leftMs) => told.push([code, failingMs, leftMs]),
  });
  const kindAt = async (nowMs: number, code: string): Promise<string> => {
    Object.assign(state, { nowMs, code });
    return await store.get().catch((error: StoreError) => error.kind);
  };
  /** Fails a call at once, and another one every 30 seconds up to `endMs`. */
  const failUntil = async (endMs: number, code: string): Promise<string> => {
    for (let ms = state.nowMs; ms < endMs; ms += 30_000) await kindAt(ms, code);
    return await kindAt(endMs, code);
  };
  return { store, state, told, kindAt, failUntil };
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
    const { kindAt, failUntil } = failing();
    expect(await failUntil(590_000, 'ThrottlingException')).toBe('retryable');
    expect(await kindAt(592_000, 'no-connection')).toBe('retryable');
    expect(await kindAt(595_000, 'ThrottlingException')).toBe('retryable');
    expect(await kindAt(600_000, 'ThrottlingException')).toBe('fatal');
  });

  it('leaves open whether the last call changed anything', async () => {
    const { store, kindAt, failUntil } = failing();
    const endOf = async (code: string): Promise<boolean> => {
      await kindAt(0, '');
      expect(await failUntil(600_000, code)).toBe('fatal');
      return isRefusal(await store.get().then(expect.fail, (error: StoreError) => error));
    };
    expect(await endOf('TimeoutError')).toBe(false);
    expect(await endOf('no-connection')).toBe(true);
  });

  it('begins again after a refusal of an item, which is an answer', async () => {
    const { store, failUntil } = failing();
    await failUntil(590_000, 'ThrottlingException');
    await expect(store.refuse()).rejects.toMatchObject({ kind: 'terminal' });
    expect(await failUntil(600_000, 'ThrottlingException')).toBe('retryable');
  });

  it('begins again if nobody has repeated a failed call', async () => {
    const { kindAt } = failing();
    await kindAt(0, 'ThrottlingException');
    expect(await kindAt(600_000, 'ThrottlingException')).toBe('retryable');
  });

  it('goes on while a call waits for its answer', async () => {
    const { store, state, kindAt } = failing();
    await kindAt(0, 'TimeoutError');
    let fail = (_error: StoreError): void => undefined;
    const waiting = store.wait(new Promise<never>((_, reject) => (fail = reject)));
    expect(await kindAt(599_000, 'TimeoutError')).toBe('retryable');
    state.nowMs = 600_000;
    fail(retryable('TimeoutError'));
    await expect(waiting).rejects.toMatchObject({ kind: 'fatal' });
  });

  it('takes an update that was not sent neither for an answer nor for a failure', async () => {
    const { store, state, kindAt, failUntil } = failing();
    const kindsAt = async (nowMs: number, ...codes: string[]) => {
      state.nowMs = nowMs;
      return (await store.updateMany(codes)).map((outcome) => ('error' in outcome ? outcome.error?.kind : 'applied'));
    };
    await failUntil(30_000, 'no-connection');
    expect(await kindsAt(59_000, 'no-time')).toEqual(['retryable']);
    expect(await kindsAt(60_000, 'no-connection', 'no-time')).toEqual(['fatal', 'retryable']);
    expect(await kindsAt(61_000, 'no-time', '')).toEqual(['retryable', 'applied']);
    expect(await kindsAt(62_000, 'no-time')).toEqual(['retryable']);
    expect(await kindAt(121_000, 'no-connection')).toBe('retryable');
  });

  it('is not set twice', () => {
    const { store } = failing();
    expect(withOutageLimit(store)).toBe(store);
    const metered = new MeteredStore(withOutageLimit(new MemoryStore(goalGraph().table)));
    expect(withOutageLimit(metered)).toBe(metered);
  });

  it('leaves alone what a call returns without a promise', () => {
    expect(withOutageLimit({ name: 'table', size: () => 3 })).toMatchObject({ name: 'table' });
    expect(withOutageLimit({ size: () => 3 }).size()).toBe(3);
  });
});
