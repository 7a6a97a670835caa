import { expect, it } from 'vitest';
import { runNode } from '../support/command.ts';

/** `npm run simulate -- PACK`, with one schedule. The properties run each pack by the same `Runner`. */

const simulate = (...args: string[]) => runNode(['--import', 'tsx', 'test/simulator/packs.ts', ...args]);

it('runs a pack', async () => {
  const { code, stdout, stderr } = await simulate('watch', '--runs', '1', '--json');
  expect(code, stderr).toBe(0);
  const { schedules, failed } = JSON.parse(stdout) as { schedules: number; failed: number };
  expect([schedules, failed]).toEqual([1, 0]);
});

it('names the packs where none is given', async () => {
  const { code, stderr } = await simulate();
  expect([code, stderr]).toEqual([2, expect.stringContaining('Packs: projecting, ')]);
});
