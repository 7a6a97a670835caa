import { expect, it } from 'vitest';
import { projectedOutput } from '../../../packages/cli/commands/run/wait.ts';

it('a wait names lost shards, whose records nothing can project any more', () => {
  const whole = projectedOutput(5, [{ shardId: 'a' }]);
  expect(whole).toEqual({ json: { waitedMs: 5 }, text: 'everything written so far is projected (5 ms)' });
  const { json, text } = projectedOutput(5, [{ shardId: 'a' }, { shardId: 'b', isLost: true }]);
  expect(json).toEqual({ waitedMs: 5, lostShards: ['b'] });
  expect(text).toContain('the records of b are lost');
});
