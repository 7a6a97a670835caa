import { describe, expect, it } from 'vitest';
import { untilAborted } from '../../../src/store/abortable.ts';
import { Bell, pause, retryingUntil } from '../../../src/stream/concurrency.ts';

class Temporary extends Error {}

describe('retryingUntil', () => {
  const isRetryable = (error: unknown): boolean => error instanceof Temporary;

  it('tries again until the action succeeds', async () => {
    const rules = { isRetryable, stopping: new AbortController().signal, isEnding: () => false };
    let tries = 0;
    const result = await retryingUntil(rules, async () => {
      tries += 1;
      if (tries < 3) throw new Temporary();
      return tries;
    });
    expect(result).toBe(3);
  });

  it('gives undefined where the run ends during a wait, and waits no longer then', async () => {
    const run = new AbortController();
    const rules = { isRetryable, stopping: run.signal, isEnding: () => run.signal.aborted, minimumMs: 3_600_000 };
    const result = retryingUntil(rules, () => Promise.reject(new Temporary()));
    setImmediate(() => run.abort());
    expect(await result).toBeUndefined();
  });

  it('throws what is not retryable, also where the run has ended', async () => {
    const rules = { isRetryable, stopping: AbortSignal.abort(), isEnding: () => true };
    await expect(retryingUntil(rules, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  });
});

describe('pause', () => {
  it('is over when the signal comes, or has come', async () => {
    const controller = new AbortController();
    const paused = pause(3_600_000, controller.signal);
    controller.abort();
    await paused;
    await pause(3_600_000, controller.signal);
    expect(controller.signal.aborted).toBe(true);
  });

  it.each([
    ['pauses', (signal: AbortSignal) => pause(3_600_000, signal)],
    ['calls of a store', (signal: AbortSignal) => untilAborted(signal, new Promise(() => undefined))],
  ])('does not warn of many %s that wait for one signal', async (_, wait) => {
    const controller = new AbortController();
    const warnings: Error[] = [];
    const listen = (warning: Error): void => void warnings.push(warning);
    process.on('warning', listen);
    const waits = Array.from({ length: 50 }, () => wait(controller.signal));
    controller.abort();
    await Promise.allSettled(waits);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', listen);
    expect(warnings).toEqual([]);
  });
});

describe('Bell', () => {
  it('ends the wait when it rings, and keeps a ring that comes before the wait', async () => {
    const bell = new Bell();
    const waiting = bell.wait(3_600_000);
    bell.ring();
    await waiting;
    bell.ring();
    await bell.wait(3_600_000);
  });

  it('keeps one ring only', async () => {
    const bell = new Bell();
    bell.ring();
    bell.ring();
    await bell.wait(3_600_000);
    const outcome = await Promise.race([
      bell.wait(3_600_000),
      new Promise((resolve) => setTimeout(resolve, 20, 'silent')),
    ]);
    expect(outcome).toBe('silent');
    bell.ring();
  });
});
