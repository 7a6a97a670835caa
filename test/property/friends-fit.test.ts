import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitGrowth, type Point } from '../../bench/friends/fit.ts';
import { seededRandom } from '../../bench/support/random.ts';

/** 20 points of a line, with noise of up to so much of the mean either way. */
function noisy(seed: number, intercept: number, slope: number, noise: number): Point[] {
  const random = seededRandom(seed);
  const mean = intercept + slope * 95;
  return Array.from({ length: 20 }, (_, place) => {
    const x = place * 10;
    return { x, y: intercept + slope * x + mean * noise * (2 * random.next() - 1), weight: 1 + random.below(30) };
  });
}

const seeds = fc.nat();
const intercepts = fc.double({ min: 0.1, max: 1_000, noNaN: true });

describe('fitGrowth with noise', () => {
  it('takes a constant with noise of 3 % for one', () => {
    fc.assert(
      fc.property(seeds, intercepts, (seed, intercept) => {
        const fit = fitGrowth(noisy(seed, intercept, 0, 0.03));
        expect(fit.growth).toBe('O(1)');
        expect(Math.abs(fit.intercept / intercept - 1)).toBeLessThan(0.03);
        expect(fit.errorPercent).toBeLessThan(3.1);
      }),
    );
  });

  it('takes a line that rises by half its start for one, with noise of 5 %', () => {
    fc.assert(
      fc.property(seeds, intercepts, fc.double({ min: 0.5, max: 100, noNaN: true }), (seed, intercept, rise) => {
        const slope = (intercept * rise) / 190;
        const fit = fitGrowth(noisy(seed, intercept, slope, 0.05));
        expect(fit.growth).toBe('O(n)');
        expect(Math.abs(fit.slope - slope)).toBeLessThan(10 * fit.slopeError);
        expect(fit.errorPercent).toBeLessThan(5.1);
      }),
    );
  });

  it('decides the same in any unit', () => {
    fc.assert(
      fc.property(
        seeds,
        fc.double({ min: 0, max: 0.02, noNaN: true }),
        fc.constantFrom(1e-6, 1e6),
        (seed, slope, unit) => {
          const points = noisy(seed, 1, slope, 0.2);
          const fit = fitGrowth(points);
          const scaled = fitGrowth(points.map((point) => ({ ...point, y: point.y * unit })));
          expect(scaled.growth).toBe(fit.growth);
          expect(scaled.slope).toBeCloseTo(fit.slope * unit, 9);
          expect(scaled.evidence).toBeCloseTo(fit.evidence, 6);
        },
      ),
    );
  });
});
