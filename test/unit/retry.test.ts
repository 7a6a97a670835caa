import { describe, expect, it } from 'vitest';
import { retrying } from '../../src/foundation/retry.ts';

describe('retrying', () => {
  it('waits longer after each failure, with jitter, and gives what the action gives', async () => {
    const waits: number[] = [];
    const wait = async (milliseconds: number): Promise<void> => void waits.push(milliseconds);
    const action = async (attempt: number): Promise<string> => {
      if (attempt < 4) throw new Error('not yet');
      return `attempt ${attempt}`;
    };
    expect(await retrying(action, { isRetryable: () => true, wait, random: () => 0.5 })).toBe('attempt 4');
    expect(waits).toEqual([25, 50, 100]);
  });

  it('throws at once what is not retryable', async () => {
    const wait = (): Promise<void> => Promise.reject(new Error('waited'));
    const action = (): Promise<never> => Promise.reject(new Error('no'));
    await expect(retrying(action, { isRetryable: () => false, wait })).rejects.toThrow('no');
  });

  it("throws the action's failure where it is to give up after a wait", async () => {
    const failures: number[] = [];
    const action = (attempt: number): Promise<never> => Promise.reject(new Error(`failure ${attempt}`));
    const isRetryable = (_error: unknown, attempt: number): boolean => failures.push(attempt) > 0;
    const wait = async (): Promise<void> => undefined;
    const isEnding = (): boolean => failures.length >= 2;
    await expect(retrying(action, { isRetryable, wait, isEnding })).rejects.toThrow('failure 2');
    expect(failures).toEqual([1, 2]);
  });

  it("throws the action's failure where the next wait takes longer than the time that is left", async () => {
    let leftMs = 100;
    const wait = async (milliseconds: number): Promise<void> => {
      leftMs -= milliseconds;
    };
    const action = (attempt: number): Promise<never> => Promise.reject(new Error(`failure ${attempt}`));
    const options = { isRetryable: () => true, wait, random: () => 0.5, remainingMs: () => leftMs };
    await expect(retrying(action, options)).rejects.toThrow('failure 3');
    expect(leftMs).toBe(25);
  });

  it('ends a wait with its signal', async () => {
    const controller = new AbortController();
    const action = (): Promise<never> => Promise.reject(new Error('not yet'));
    const isRetryable = (): boolean => {
      controller.abort(new Error('stopped'));
      return true;
    };
    await expect(retrying(action, { isRetryable, signal: controller.signal })).rejects.toThrow('stopped');
  });
});
