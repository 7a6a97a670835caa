import { describe, expect, it } from 'vitest';
import { Bell, createController, Gate, pause } from '../../../src/stream/concurrency.ts';

describe('Gate', () => {
  it('runs at most so many at once, in the order in which they came', async () => {
    const gate = new Gate(2);
    const order: number[] = [];
    let running = 0;
    let most = 0;
    const results = await Promise.all(
      [0, 1, 2, 3, 4].map((i) =>
        gate.run(async () => {
          order.push(i);
          running += 1;
          most = Math.max(most, running);
          await new Promise((resolve) => setImmediate(resolve));
          running -= 1;
          return i * 10;
        }),
      ),
    );
    expect(results).toEqual([0, 10, 20, 30, 40]);
    expect(order).toEqual([0, 1, 2, 3, 4]);
    expect(most).toBe(2);
  });

  it('gives its place back when an action fails', async () => {
    const gate = new Gate(1);
    await expect(gate.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await gate.run(async () => 'yes')).toBe('yes');
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

  it('does not warn of many that wait for one signal', async () => {
    const controller = createController();
    const warnings: Error[] = [];
    const listen = (warning: Error): void => void warnings.push(warning);
    process.on('warning', listen);
    const pauses = Array.from({ length: 50 }, () => pause(3_600_000, controller.signal));
    controller.abort();
    await Promise.all(pauses);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', listen);
    expect(warnings).toEqual([]);
  });
});

describe('Bell', () => {
  it('ends the wait when it rings, and keeps a ring that nobody waited for', async () => {
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
