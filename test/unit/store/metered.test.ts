import { describe, expect, it, vi } from 'vitest';
import type { DerivedUpdate } from '../../../src/core/store-port.ts';
import { StoreError } from '../../../src/foundation/errors.ts';
import { MeteredStore, type MeterOptions } from '../../../src/store/metered.ts';
import { goalGraph } from '../../support/contracts-model.ts';
import { MemoryStore } from '../../support/memory-store/memory-store.ts';

const KEY = { source: 'USER-1', target: 'USER-1' };

/** A metered store on a clock of its own; `failures` calls fail first. */
function metered(options: MeterOptions, failures = 0, code = 'ThrottlingException') {
  const clock = { nowMs: 0, waits: 0 };
  const memory = new MemoryStore(goalGraph().table);
  let left = failures;
  const get = memory.get.bind(memory);
  memory.get = async (...args) => {
    if (left-- > 0) throw new StoreError('retryable', code, 'slow down');
    return await get(...args);
  };
  const store = new MeteredStore(memory, {
    ...options,
    now: () => clock.nowMs,
    wait: async (milliseconds) => {
      clock.nowMs += milliseconds;
      clock.waits += 1;
    },
  });
  return { store, clock, memory };
}

const updates = (count: number): DerivedUpdate[] =>
  Array.from({ length: count }, (_, i) => ({
    key: { source: 'USER-1', target: `~${i}` },
    set: { i: { N: String(i) } },
    unset: [],
    condition: { kind: 'absent' },
  }));

describe('a metered store', () => {
  it('keeps reads and writes under a rate each, and the rate is used', async () => {
    const { store, clock } = metered({ maxRcu: 10, concurrency: 1 });
    for (let i = 0; i < 100; i++) await store.get(KEY, { consistent: true });
    // The first second's units are saved up.
    expect(clock.nowMs).toBeGreaterThanOrEqual(8_900);
    expect(clock.nowMs).toBeLessThanOrEqual(9_100);
    await store.delete(KEY);
    expect(clock.nowMs).toBeLessThanOrEqual(9_100);
  });

  describe('updates of many items', () => {
    it('counts the units of all, and keeps them under the rate', async () => {
      const { store, clock } = metered({ maxWcu: 100 });
      const outcomes = await store.updateMany(updates(1_000));
      expect(outcomes).toEqual(updates(1_000).map(() => ({ applied: true, wcu: 1 })));
      expect(store.wcu).toBe(1_000);
      expect(clock.nowMs).toBeGreaterThanOrEqual(7_900);
      expect(clock.nowMs).toBeLessThanOrEqual(9_100);
    });

    it('tries an item again whose failure may be over, and leaves the others', async () => {
      const { store, clock, memory } = metered({});
      const update = memory.update.bind(memory);
      let throttled = 3;
      memory.update = async (one) => {
        if (one.key.target === '~1' && throttled-- > 0) {
          throw new StoreError('retryable', 'ThrottlingException', 'slow down');
        }
        if (one.key.target === '~2') throw new StoreError('terminal', 'ValidationException', 'odd');
        return await update(one);
      };
      const outcomes = await store.updateMany(updates(4));
      expect(outcomes.map(({ applied }) => applied)).toEqual([true, true, false, true]);
      expect(outcomes[2]).toMatchObject({ error: { code: 'ValidationException' } });
      expect(clock.waits).toBe(3);
    });

    it('gives the failure as the outcome when the time of the call is over', async () => {
      const { store, memory } = metered({});
      memory.update = async () => {
        throw new StoreError('retryable', 'ThrottlingException', 'slow down');
      };
      const outcomes = await store.updateMany(updates(2), { remainingMs: () => 0.001 });
      expect(outcomes).toMatchObject([{ error: { code: 'ThrottlingException' } }, { error: {} }]);
    });
  });

  it('waits out a call that cost more than a second may', async () => {
    const { store, clock } = metered({ maxWcu: 10, concurrency: 1 });
    await store.put({ source: { S: 'USER-1' }, target: { S: 'USER-1' }, text: { S: 'x'.repeat(100 * 1024) } });
    await store.delete({ source: 'USER-2', target: 'USER-2' });
    expect(clock.nowMs).toBeGreaterThanOrEqual(9_000);
  });

  it('goes on at its rate when the wall clock is set back', async () => {
    const waits: number[] = [];
    const wait = async (milliseconds: number) => {
      waits.push(milliseconds);
      await new Promise((resolve) => setTimeout(resolve, Math.min(milliseconds, 5)));
    };
    const store = new MeteredStore(new MemoryStore(goalGraph().table), { maxRcu: 10_000, wait });
    await store.get(KEY, { consistent: true });
    const setBackTo = Date.now() - 3_600_000;
    const clock = vi.spyOn(Date, 'now').mockReturnValue(setBackTo);
    try {
      await store.get(KEY, { consistent: true });
    } finally {
      clock.mockRestore();
    }
    expect(Math.max(0, ...waits)).toBeLessThan(1_000);
  });

  it('retries what may succeed later, however often, and nothing else', async () => {
    const { store, clock } = metered({}, 25);
    await store.get(KEY, { consistent: true });
    expect(clock.waits).toBe(25);
    await expect(store.get({ source: '', target: 'A' }, { consistent: true })).rejects.toMatchObject({
      kind: 'terminal',
    });
  });

  it('gives up where no time is left for another try', async () => {
    const { store } = metered({ remainingMs: () => 0 }, 1);
    await expect(store.get(KEY, { consistent: true })).rejects.toMatchObject({ code: 'ThrottlingException' });
  });

  it.each([
    ['no-connection', 60_000],
    ['ThrottlingException', 600_000],
  ])('ends where no call succeeds any more: %s after %i ms', async (code, ms) => {
    const { store, clock } = metered({}, Number.POSITIVE_INFINITY, code);
    const ended = await store.get(KEY, { consistent: true }).catch((error: unknown) => error);
    // Nothing around it repeats a fatal error.
    expect(ended).toMatchObject({ kind: 'fatal', code, message: 'slow down' });
    expect(clock.nowMs).toBeGreaterThanOrEqual(ms);
    expect(clock.nowMs).toBeLessThan(ms + 10_000);
  });

  it.each(['no-connection', 'ThrottlingException'])('ends updates of many items that all fail: %s', async (code) => {
    const { store, memory } = metered({});
    memory.update = async () => {
      throw new StoreError('retryable', code, 'refused');
    };
    const ended = await store.updateMany(updates(2)).then(
      (outcomes) => outcomes.map((outcome) => 'error' in outcome && outcome.error),
      (error: unknown) => [error],
    );
    expect(ended[0]).toMatchObject({ kind: 'fatal', code });
  });
});
