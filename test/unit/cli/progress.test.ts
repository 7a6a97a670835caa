import { expect, it } from 'vitest';
import { progressLines } from '../../../packages/cli/shared/progress.ts';

it('tells progress in a line each 30 seconds where there is no terminal', () => {
  const lines: string[] = [];
  let nowMs = 1_000;
  const progress = progressLines(
    'schedules',
    0,
    (line) => lines.push(line),
    () => nowMs,
  );
  for (let second = 1; second <= 61; second++) {
    nowMs += 1_000;
    if (second === 31) progress.update(second * 100, 10_000);
    else progress.update(second * 100);
  }
  progress.stop();
  expect(lines).toEqual(['3,000 schedules, 100/s\n', '6,000 of 10,000 schedules, 100/s\n']);
});
