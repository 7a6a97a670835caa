import { describe, expect, it } from 'vitest';
import { reportJunit } from '../../../src/cli/commands/trust/check-report.ts';
import { isExplainedByLag, waitingText } from '../../../src/cli/commands/trust/check-waiting.ts';
import { reportTargets } from '../../../src/cli/commands/trust/report-file.ts';
import type { Finding } from '../../../src/trust/check/finding.ts';

const PENDING: Finding = { source: 'GOAL-1', target: '~view', verdict: 'pending', expected: null, actual: 'late' };

describe('what is pending', () => {
  it.each<[number, number | undefined, number, boolean, RegExp | undefined]>([
    [0, 0, 30, true, undefined],
    [0, undefined, 30, true, undefined],
    [3, 120, 30, true, /3 pending, and the consumers are 120 s behind: check again once/],
    [3, 4, 30, false, /3 pending, and the consumers are 4 s behind: that does not explain it/],
    // At its end: nothing is on its way.
    [3, 0, 0, false, /run edgeloom redrive/],
    [3, undefined, 30, false, /how far the consumers are behind cannot be told/],
  ])(
    '%d items, %s s behind, %d s to settle: explained is %s',
    (pending, lagSeconds, settleSeconds, explained, text) => {
      const waiting = { pending, lagSeconds, settleSeconds };
      expect(isExplainedByLag(waiting)).toBe(explained);
      expect(waitingText(waiting)).toEqual(text === undefined ? [] : [expect.stringMatching(text)]);
    },
  );

  it('fails in a report where the lag does not explain it, and a stopped run is an error there', () => {
    const ofChange: Finding = { ...PENDING, source: '~edgeloom', cause: 'model-change' };
    const findings = [PENDING, ofChange];
    expect(reportJunit(findings, { isUnexplained: false, isStopped: false })).toContain('tests="1" failures="0"');
    const unexplained = reportJunit(findings, { isUnexplained: true, isStopped: false });
    expect(unexplained).toContain('tests="1" failures="1"');
    expect(unexplained).toContain('<failure type="pending"');
    const stopped = reportJunit([], { isUnexplained: false, isStopped: true });
    expect(stopped).toContain('tests="1" failures="0" errors="1"');
  });
});

describe('--report', () => {
  it('is taken as often as it is given', () => {
    expect(reportTargets([])).toEqual([]);
    expect(reportTargets(['junit', 'a.xml', 'json', 'b.json'])).toEqual([
      { kind: 'junit', file: 'a.xml' },
      { kind: 'json', file: 'b.json' },
    ]);
  });

  it.each([[['pdf', 'x']], [['junit']], [['junit', 'a.xml', 'json']], [['junit', 'a.xml', 'b.xml', 'c.xml']]])(
    'refuses %j',
    (given) => {
      expect(() => reportTargets(given)).toThrow(expect.objectContaining({ code: 'invalid-option' }));
    },
  );
});
