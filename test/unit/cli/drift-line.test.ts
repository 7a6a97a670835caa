import { describe, expect, it } from 'vitest';
import { driftLine, indexDifferenceLine } from '../../../packages/cli/shared/difference.ts';
import type { ObservedDrift } from '../../../src/trust/observe/drift.ts';

const DRIFT: ObservedDrift = {
  suspect: { source: 'GOAL-1', sortKey: '~view' },
  differences: [{ kind: 'attributes' }],
  ...{ expected: 'title: Learn', stored: 'title: Lean', foundMs: 1, isCertain: true },
};

describe('the line about drift', () => {
  it('says what is expected and what is there', () => {
    expect(driftLine(DRIFT)).toBe('drift: GOAL-1 ~view, attributes: expected title: Learn, actual title: Lean');
    expect(driftLine({ ...DRIFT, expected: null, isCertain: false })).toBe(
      'drift: GOAL-1 ~view, attributes: expected nothing, actual title: Lean (the low watermark is not known: the consumer may only be late)',
    );
  });

  it('shows where large contents differ', () => {
    const same = 'x '.repeat(100_000);
    const line = driftLine({ ...DRIFT, expected: `${same}is right`, stored: `${same}is wrong` });
    expect(line.length).toBeLessThan(700);
    for (const end of ['is right', 'is wrong']) expect(line).toContain(end);
  });

  it('is one line that drives no terminal, whatever keys and contents hold', () => {
    const suspect: ObservedDrift['suspect'] = {
      ...{ source: 'GOAL-\u001b[2J', sortKey: '~ix/HAS-USER-\nverified through' },
    };
    const lines = [
      driftLine({ ...DRIFT, suspect, stored: 'a\u001b[31m\nb' }),
      indexDifferenceLine({ source: suspect.source, target: suspect.sortKey, index: 'gsi0', kind: 'missing' }),
    ];
    for (const line of lines) expect(line).not.toMatch(/[\u001b\n]/);
    expect(lines[0]).toContain('GOAL-\\u001b[2J ~ix/HAS-USER-\\nverified through');
  });
});
