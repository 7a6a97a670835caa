import { expect } from 'vitest';
import { reportText } from '../simulator/kernel/long-run.ts';
import { type PackName, packOf } from '../simulator/kernel/packs.ts';
import { Runner } from '../simulator/kernel/runner.ts';

/** Runs the schedules of some seeds, expects that none of them fails, and gives what they have met. */
export async function rightSchedules(
  pack: PackName,
  seeds: { first: number; count: number },
): Promise<Record<string, number>> {
  const runner = await Runner.load();
  const all = await runner.runSeeds({ ...seeds, mostFailures: 1, pack });
  const [failed] = all.seeds;
  if (failed !== undefined) {
    const { shorten } = await packOf(pack);
    expect.fail(reportText(pack, failed.seed, (await shorten?.(failed.seed)) ?? failed));
  }
  expect(all.schedules).toBe(seeds.count);
  return all.counters;
}
