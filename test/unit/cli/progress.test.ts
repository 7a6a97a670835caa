import { expect, it } from 'vitest';
import { startProgress } from '../../../packages/cli/shared/progress.ts';

it('tells progress in a line each 30 seconds where there is no terminal', () => {
  const lines: string[] = [];
  let nowMs = 1_000;
  const stream = { write: (line: string) => lines.push(line) };
  const progress = startProgress('schedules', 0, stream, () => nowMs);
  for (let second = 1; second <= 61; second++) {
    nowMs += 1_000;
    if (second === 31) progress.update(second * 100, 10_000);
    else progress.update(second * 100);
  }
  progress.stop();
  expect(lines).toEqual(['3,000 schedules, 100/s\n', '6,000 of 10,000 schedules, 100/s, about 40 s left\n']);
});

it('changes one line of a terminal at most five times a second, and leaves the cursor behind it', () => {
  const written: string[] = [];
  let nowMs = 0;
  const stream = { isTTY: true, write: (text: string) => written.push(text) };
  const progress = startProgress('items', 4, stream, () => nowMs);
  for (let items = 1; items <= 4; items++) {
    nowMs += 100;
    progress.update(items);
  }
  progress.stop();
  expect(written).toEqual(['\r\u001b[2K2 of 4 items, 10/s, about 1 s left', '\r\u001b[2K4 items, 10/s', '\n']);
});
