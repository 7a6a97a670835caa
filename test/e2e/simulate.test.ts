import { expect, it } from 'vitest';
import { PACK_NAMES } from '../simulator/kernel/packs.ts';
import { runNode } from '../support/command.ts';

/** `npm run simulate -- PACK`, with one schedule of each pack. */

const simulate = (...args: string[]) => runNode(['--import', 'tsx', 'test/simulator/packs.ts', ...args]);

it.each(PACK_NAMES)('runs the pack %s', async (pack) => {
  const { code, stdout, stderr } = await simulate(pack, '--runs', '1', '--json');
  expect(code, stderr).toBe(0);
  const { schedules, failed } = JSON.parse(stdout) as { schedules: number; failed: number };
  expect([schedules, failed]).toEqual([1, 0]);
});

it('names the packs where none is given', async () => {
  const { code, stderr } = await simulate();
  expect([code, stderr]).toEqual([2, expect.stringContaining('Packs: projecting, ')]);
});
