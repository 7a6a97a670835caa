import { expect, it } from 'vitest';
import { unconfirmed } from '../../bench/figures/check.ts';
import type { MeasuredBenchmark } from '../../bench/support/figure-file.ts';
import type { Figure } from '../../bench/support/report.ts';

function measured(...figures: Figure[]): MeasuredBenchmark {
  return { seconds: 1, measuredOn: '2026-01-01', reports: [{ name: 'a', title: 'A', figures }] };
}
const spread = (min: number, median: number, max: number): Figure['value'] => ({ min, median, max });

it('a check of figures names those that are not confirmed here, and no times', () => {
  const documented = measured(
    { name: 'writes', value: 10, unit: 'writes' },
    { name: 'ratio', value: spread(0.1, 0.2, 0.3), unit: 'x' },
    { name: 'time', value: spread(1, 2, 3), unit: 'ms' },
    { name: 'gone', value: 1, unit: 'WCU' },
  );
  const others = [
    { name: 'time', value: spread(10, 20, 30), unit: 'ms' },
    { name: 'gone', value: 1, unit: 'WCU' },
  ];
  const same = measured(
    { name: 'writes', value: 10, unit: 'writes' },
    { name: 'ratio', value: spread(0.2, 0.25, 0.4), unit: 'x' },
    ...others,
  );
  expect(unconfirmed('a', documented, same)).toEqual([]);
  const different = measured(
    { name: 'writes', value: 11, unit: 'writes' },
    { name: 'ratio', value: spread(0.21, 0.35, 0.4), unit: 'x' },
    { name: 'time', value: spread(10, 20, 30), unit: 'ms' },
    { name: 'new', value: 1, unit: 'WCU' },
  );
  expect(unconfirmed('a', documented, different)).toEqual([
    'a: gone: is in docs/project/figures.json, and measured no more',
    'a: writes: 10 writes in docs/project/figures.json, 11 here',
    'a: ratio: 0.200 (0.100 to 0.300) x in docs/project/figures.json, 0.350 (0.210 to 0.400) here',
    'a: new: is not in docs/project/figures.json',
  ]);
});

it('lets a count differ as far as it varies, and a ratio where the median of either is among the runs of the other', () => {
  const documented = measured(
    { name: 'memory', value: 100, unit: 'MB' },
    { name: 'traffic', value: 10, unit: 'writes' },
    { name: 'ratio', value: spread(0.1, 0.2, 0.3), unit: 'x' },
  );
  const here = (megabytes: number, ratio: Figure['value']): MeasuredBenchmark =>
    measured(
      { name: 'memory', value: megabytes, unit: 'MB', varies: 0.25 },
      { name: 'traffic', value: 1_000, unit: 'writes', varies: true },
      { name: 'ratio', value: ratio, unit: 'x' },
    );
  expect(unconfirmed('a', documented, here(125, spread(0.21, 0.25, 0.4)))).toEqual([]);
  expect(unconfirmed('a', documented, here(75, spread(0.15, 0.35, 0.4)))).toEqual([]);
  expect(unconfirmed('a', documented, here(126, spread(0.25, 0.35, 0.4)))).toEqual([
    'a: memory: 100 MB in docs/project/figures.json, 126 here',
    'a: ratio: 0.200 (0.100 to 0.300) x in docs/project/figures.json, 0.350 (0.250 to 0.400) here',
  ]);
});
