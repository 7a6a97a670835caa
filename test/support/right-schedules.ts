import { expect } from 'vitest';
import { Runner } from '../simulator/runner.ts';

/** Runs the schedules of seed 1 and up, expects that none of them fails, and gives what they have met. */
export async function rightSchedules(world: 'verify' | 'ledgers', count: number): Promise<Record<string, number>> {
  const runner = await Runner.start();
  try {
    const all = await runner.runSeeds({ first: 1, count, mostFailures: 1, world });
    expect(all.seeds).toEqual([]);
    expect(all.schedules).toBe(count);
    return all.counters;
  } finally {
    await runner.stop();
  }
}
