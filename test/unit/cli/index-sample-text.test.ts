import { describe, expect, it } from 'vitest';
import { indexDifferenceLine } from '../../../packages/cli/shared/difference.ts';
import { indexSampleProblems, indexSampleStatus, indexSampleText } from '../../../src/trust/explain/index-sample.ts';

const sampled = { asked: 1_204, wrong: 0, wrongItems: [], sinceMs: Date.parse('2026-11-01T00:00:00Z') };

describe('the sample of the indexes in words', () => {
  it('says what was asked, and what differs', () => {
    const [right, one] = [0, 1].map((wrong) => indexSampleStatus({ ...sampled, wrong })!);
    expect(indexSampleText(right!)).toBe('indexes: sampled only, 1,204 asked, 0 differ');
    expect(indexSampleText(one!)).toBe('indexes: sampled only, 1,204 asked, 1 differs');
  });

  it('says why an index has not answered', () => {
    const status = indexSampleStatus({ ...sampled, failure: 'The index is throttled.' })!;
    expect(indexSampleText(status)).toMatch(/0 differ; the latest question had no answer: The index is throttled$/);
  });

  it('is a problem with its remedy only where something differs', () => {
    expect(indexSampleStatus(undefined)).toBeNull();
    expect([null, indexSampleStatus(sampled)].flatMap(indexSampleProblems)).toEqual([]);
    const wrongItems = ['USER-1 ~ix/name', 'USER-2 ~ix/name'];
    expect(indexSampleProblems(indexSampleStatus({ ...sampled, wrong: 2, wrongItems }))).toEqual([
      'The indexes differ from the table in 2 of 1,204 sampled items since 2026-11-01T00:00:00.000Z (USER-1 ~ix/name): an index that is being created or throttled lags; otherwise ask AWS support.',
    ]);
  });

  it.each([
    ['missing', 'index missing: USER-1 ~ix/name: gsi0 does not show it'],
    ['stale', 'index stale: USER-1 ~ix/name: gsi0 shows other attributes than the table has'],
    ['left-over', 'index left-over: USER-1 ~ix/name: gsi0 shows it at a place that it has left'],
  ] as const)('has a line for what is %s', (kind, line) => {
    expect(indexDifferenceLine({ source: 'USER-1', target: '~ix/name', index: 'gsi0', kind })).toBe(line);
  });
});
