import { describe, expect, it } from 'vitest';
import { retrying } from '../../src/retry.ts';

describe('retrying', () => {
  it('waits longer after each failure, with jitter, and gives what the action gives', async () => {
    const waits: number[] = [];
    const wait = async (milliseconds: number): Promise<boolean> => waits.push(milliseconds) > 0;
    const action = async (attempt: number): Promise<string> => {
      if (attempt < 4) throw new Error('not yet');
      return `attempt ${attempt}`;
    };
    expect(await retrying(action, { isRetryable: () => true, wait, random: () => 0.5 })).toBe('attempt 4');
    expect(waits).toEqual([25, 50, 100]);
  });

  it('throws at once what is not retryable', async () => {
    const wait = (): Promise<boolean> => Promise.reject(new Error('waited'));
    const action = (): Promise<never> => Promise.reject(new Error('no'));
    await expect(retrying(action, { isRetryable: () => false, wait })).rejects.toThrow('no');
  });

  it("throws the action's failure where no further wait is allowed", async () => {
    const failures: number[] = [];
    const action = (attempt: number): Promise<never> => Promise.reject(new Error(`failure ${attempt}`));
    const isRetryable = (_error: unknown, attempt: number): boolean => failures.push(attempt) > 0;
    const wait = async (): Promise<boolean> => failures.length < 2;
    await expect(retrying(action, { isRetryable, wait })).rejects.toThrow('failure 2');
    expect(failures).toEqual([1, 2]);
  });
});
