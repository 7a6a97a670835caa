import { describe, expect, it } from 'vitest';
import { fitGrowth, type Point } from '../../../bench/friends/fit.ts';

function points(of: (x: number) => number, count = 20, weight = 1): Point[] {
  return Array.from({ length: count }, (_, place) => ({ x: place * 5, y: of(place * 5), weight }));
}

describe('fitGrowth', () => {
  it('finds a constant exactly', () => {
    const fit = fitGrowth(points(() => 3));
    expect(fit).toMatchObject({ growth: 'O(1)', intercept: 3, slope: 0, errorPercent: 0 });
    expect(fit.evidence).toBeLessThan(0);
  });

  it('finds a line exactly', () => {
    const fit = fitGrowth(points((x) => 2 + 0.5 * x));
    expect(fit.growth).toBe('O(n)');
    expect(fit.intercept).toBeCloseTo(2, 9);
    expect(fit.slope).toBeCloseTo(0.5, 9);
    expect(fit.errorPercent).toBeCloseTo(0, 6);
    expect(fit.evidence).toBeGreaterThan(100);
  });

  it('gives the errors that follow by hand', () => {
    // Line y = x, missed by +1, -1, -1, +1 and 0 in the middle: the residuals are at right angles to constant and x.
    const misses = [1, -1, 0, -1, 1];
    const values = [0, 1, 2, 3, 4].map((x) => ({ x, y: 10 * x + misses[x]!, weight: 1 }));
    const fit = fitGrowth(values);
    expect(fit.intercept).toBeCloseTo(0, 9);
    expect(fit.slope).toBeCloseTo(10, 9);
    // RMS of the misses: sqrt(4 / 5), of a mean of 20. Slope's error: sqrt(4 / (5 - 2) / 10).
    expect(fit.errorPercent).toBeCloseTo((100 * Math.sqrt(0.8)) / 20, 9);
    expect(fit.slopeError).toBeCloseTo(Math.sqrt(4 / 3 / 10), 9);
    expect(fit.risePercent).toBeCloseTo(200, 9);
  });

  it('weighs a point by the measurements it stands for', () => {
    const doubled = [...points((x) => x % 3), ...points((x) => x % 3)];
    const once = fitGrowth(points((x) => x % 3, 20, 2));
    expect(once.intercept).toBeCloseTo(fitGrowth(doubled).intercept, 9);
    expect(once.errorPercent).toBeCloseTo(fitGrowth(doubled).errorPercent, 9);
  });

  it('takes billing steps of whole units for a line', () => {
    expect(fitGrowth(points((x) => Math.ceil((x * 43 + 41) / 1024))).growth).toBe('O(n)');
  });

  it('does not take a rise of less than a tenth for growth, however certain it is', () => {
    const fit = fitGrowth(points((x) => 100 + 0.05 * x));
    expect(fit.evidence).toBeGreaterThan(6);
    expect(fit.growth).toBe('O(1)');
  });

  it('does not take a fall for growth', () => {
    expect(fitGrowth(points((x) => 100 - 0.5 * x)).growth).toBe('O(1)');
  });

  it('is undecided about a few points', () => {
    expect(fitGrowth(points((x) => x, 4)).growth).toBe('undecided');
    expect(fitGrowth(points((x) => x, 5)).growth).toBe('O(n)');
  });

  it('is not confused by points at one place, or by nothing but zeros', () => {
    expect(fitGrowth([{ x: 3, y: 4, weight: 2 }])).toMatchObject({ growth: 'undecided', intercept: 4, slope: 0 });
    expect(fitGrowth(points(() => 0))).toMatchObject({ growth: 'O(1)', intercept: 0, errorPercent: 0 });
  });

  it('refuses to fit nothing', () => {
    expect(() => fitGrowth([])).toThrow(RangeError);
  });
});
