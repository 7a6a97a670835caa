import { describe, expect, it } from 'vitest';
import { reportJunit, reportText } from '../../../packages/cli/commands/trust/check-report.ts';
import { isExplainedByLag, waitingText } from '../../../packages/cli/commands/trust/check-waiting.ts';
import { reportTargets } from '../../../packages/cli/commands/trust/report-file.ts';
import { emptyCounts } from '../../../src/trust/check/cursor.ts';
import type { Finding } from '../../../src/trust/check/finding.ts';
import { KeptFindings } from '../../../src/trust/check/kept-findings.ts';

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
  ])('%d items, %s s behind, %d s to settle: explained is %s', (pending, lagSeconds, graceSeconds, explained, text) => {
    const waiting = { pending, lagSeconds, graceSeconds };
    expect(isExplainedByLag(waiting)).toBe(explained);
    expect(waitingText(waiting)).toEqual(text === undefined ? [] : [expect.stringMatching(text)]);
  });

  it('fails in a report where the lag does not explain it, and a stopped run is an error there', () => {
    const ofChange: Finding = { ...PENDING, source: '~edgeloom', cause: 'model-change' };
    const findings = [PENDING, ofChange];
    expect(reportJunit(findings, { isUnexplained: false, isStrict: false, isStopped: false })).toContain(
      'tests="1" failures="0"',
    );
    const unexplained = reportJunit(findings, { isUnexplained: true, isStrict: false, isStopped: false });
    expect(unexplained).toContain('tests="1" failures="1"');
    expect(unexplained).toContain('<failure type="pending"');
    const stopped = reportJunit([], { isUnexplained: false, isStrict: false, isStopped: true });
    expect(stopped).toContain('tests="1" failures="0" errors="1"');
  });
});

function keptOf(findings: readonly Finding[], mostOfVerdict = 100): KeptFindings {
  const kept = new KeptFindings(mostOfVerdict);
  for (const finding of findings) kept.add(finding);
  return kept;
}

describe('what a report keeps of many findings', () => {
  const many = (verdict: Finding['verdict'], count: number, actual: string | null = null): Finding[] =>
    Array.from({ length: count }, (_, i) => ({
      source: `GOAL-${i}`,
      target: '~view',
      verdict,
      expected: null,
      actual,
    }));

  it('has room for each verdict, however many there are of another, and lists the worst first', () => {
    const kept = keptOf(
      [...many('dangling', 30), ...many('pending', 30), ...many('stale', 1), ...many('missing', 2)],
      10,
    );
    expect(kept.list.map(({ verdict }) => verdict)).toEqual([
      ...['missing', 'missing', 'stale'],
      ...Array(10).fill('pending'),
      ...Array(10).fill('dangling'),
    ]);
    expect(kept.leftOut).toEqual({ pending: 20, dangling: 20 });
  });

  it('has one item of each type outside the model', () => {
    const kept = keptOf([...many('unknown', 50, 'ALIEN'), ...many('unknown', 50, 'OTHER'), ...many('missing', 2)]);
    expect(kept.list.map(({ verdict, actual }) => [verdict, actual])).toEqual([
      ['missing', null],
      ['missing', null],
      ['unknown', 'ALIEN'],
      ['unknown', 'OTHER'],
    ]);
    expect(kept.leftOut).toEqual({});
  });

  it('shows a part of each verdict as text, and types outside the model last, as a line each', () => {
    const types = [{ type: 'ALIEN', kind: 'node' as const, items: 50, nearest: null }];
    const totals = { ...emptyCounts(), unknown: 57, unknownTypes: types };
    const kept = keptOf([...many('unknown', 50, 'ALIEN'), ...many('pending', 60), ...many('orphan', 1)], 30);
    const lines = reportText(totals, kept, { seconds: 1, looksForNodes: false }).split('\n').slice(3);
    expect(lines).toEqual([
      'orphan GOAL-0 ~view',
      ...Array.from({ length: 20 }, (_, i) => `pending GOAL-${i} ~view`),
      '... and 40 more pending: --json or --report lists the first 30',
      'unknown node type ALIEN: 50 items, such as GOAL-0 ~view',
      'unknown types that are not listed: 7 items',
    ]);
  });
});

describe('the text of a check', () => {
  const textOf = (expected: string, actual: string): string[] => {
    const finding: Finding = { source: 'GOAL-1', target: '~view', verdict: 'stale', expected, actual };
    return reportText(emptyCounts(), keptOf([finding]), { seconds: 1, looksForNodes: false })
      .split('\n')
      .slice(-2);
  };
  const words = Array.from({ length: 200 }, (_, i) => `word${i}`).join(' ');

  it('names dangling edges only where it has looked for them', () => {
    const counts = (dangling: number, looksForNodes: boolean): string =>
      reportText({ ...emptyCounts(), dangling }, keptOf([]), { seconds: 1, looksForNodes });
    expect(counts(0, false)).not.toContain('dangling');
    expect(counts(0, true)).toContain('0 quarantined, 0 dangling, 0 unknown');
    expect(counts(3, false)).toContain('3 dangling');
  });

  it('shows where what is expected first differs from what is there, and at most a line of each', () => {
    const lines = textOf(`${words} one ${words}`, `${words} other ${words}`);
    expect(lines[0]).toMatch(/^ {2}expected: \.\.\. word.* word199 one word0 .* \.\.\.$/);
    expect(lines[1]).toMatch(/^ {2}actual: {3}\.\.\. word.* word199 other word0 .* \.\.\.$/);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(12 + 160);
    // The one ends where the other goes on.
    expect(textOf(words, `${words} more`)).toEqual([
      expect.stringMatching(/^ {2}expected: \.\.\. .* word199$/),
      expect.stringMatching(/^ {2}actual: {3}\.\.\. .* word199 more$/),
    ]);
    const long = 'x'.repeat(400);
    expect(textOf(`${long}a`, `${long}b`)).toEqual([
      expect.stringMatching(/^ {2}expected: \.\.\. x+a$/),
      expect.stringMatching(/^ {2}actual: {3}\.\.\. x+b$/),
    ]);
  });

  it('shows short texts, and those that differ early, from their beginning', () => {
    expect(textOf('one', 'other')).toEqual(['  expected: one', '  actual:   other']);
    expect(textOf(`one ${words}`, `other ${words}`)[1]).toMatch(/^ {2}actual: {3}other word0 .* \.\.\.$/);
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
      expect(() => reportTargets(given)).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
    },
  );
});
