import { describe, expect, it } from 'vitest';
import { secondsText } from '../../../packages/cli/shared/progress-line.ts';
import { StepProgress } from '../../../packages/cli/shared/step-progress.ts';

function progress(isTTY: boolean) {
  const written: string[] = [];
  let nowMs = 0;
  const one = new StepProgress(1_000, { isTTY, write: (text) => written.push(text) }, () => nowMs);
  const note = (atMs: number, items: number, phase = 'backfill'): void => {
    nowMs = atMs;
    one.noteFigures({ phase, items, rcu: 12, wcu: 34 });
  };
  return { written, note, line: (text: string) => one.printLine(text) };
}

describe('the progress of a walk over a table', () => {
  it('says items done, units used and the time that is left, a line in five seconds without a terminal', () => {
    const { written, note } = progress(false);
    note(0, 1);
    note(4_000, 80);
    note(10_000, 200);
    note(12_000, 220);
    expect(written).toEqual(['backfill: 200 of about 1,000 items, 12 RCU, 34 WCU, about 40 s left\n']);
  });

  it('begins anew with each walk, and never has more items than there are', () => {
    const { written, note } = progress(false);
    note(0, 1);
    note(60_000, 900);
    note(70_000, 100, 'verify');
    note(80_000, 2_000, 'verify');
    expect(written[1]).toBe('verify: 2,000 of about 2,000 items, 12 RCU, 34 WCU, about 0 s left\n');
  });

  it('changes one line of a terminal, and clears it for a step that is made', () => {
    const { written, note, line } = progress(true);
    note(0, 1);
    note(1_000, 100);
    line('backfill: verified');
    line('ready');
    expect(written).toEqual([
      '\r\u001b[2Kbackfill: 100 of about 1,000 items, 12 RCU, 34 WCU, about 9 s left',
      '\r\u001b[2Kbackfill: verified\n',
      'ready\n',
    ]);
  });

  it('gives long times in minutes and hours', () => {
    expect([12.2, 119, 120, 7_199, 9_000].map(secondsText)).toEqual(['13 s', '119 s', '2 min', '120 min', '2.5 h']);
  });
});
