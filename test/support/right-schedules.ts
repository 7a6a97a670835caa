import { expect } from 'vitest';
import { Runner } from '../simulator/runner.ts';

/** Runs the schedules of some seeds, expects that none of them fails, and gives what they have met. */
export async function rightSchedules(
  world: 'verify' | 'ledgers',
  seeds: { first: number; count: number },
): Promise<Record<string, number>> {
  const runner = await Runner.load();
  const all = await runner.runSeeds({ ...seeds, mostFailures: 1, world });
  expect(all.seeds).toEqual([]);
  expect(all.schedules).toBe(seeds.count);
  return all.counters;
}
