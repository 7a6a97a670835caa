import { describe, expect, it } from 'vitest';
import { momentsBetween } from '../../packages/studio/page/parts/moments.ts';

/** Seconds of the day here. */
const secondsOf = (ms: number): number => ms / 1_000 - 60 * new Date(ms).getTimezoneOffset();

describe('the moments of a time axis', () => {
  it.each([
    [10, 5, 5],
    [59, 5, 15],
    [600, 4, 300],
    [7_200, 6, 1_800],
    [86_400, 5, 21_600],
  ])('are round times of day, at most as many as fit: %i s, %i labels', (seconds, most, step) => {
    const fromMs = Date.UTC(2026, 0, 2, 3, 4, 5);
    const moments = momentsBetween(fromMs, fromMs + 1_000 * seconds, most);
    expect(moments.length).toBeGreaterThan(0);
    expect(moments.length).toBeLessThanOrEqual(most);
    for (const [i, moment] of moments.entries()) {
      expect(secondsOf(moment) % step).toBe(0);
      expect(moment).toBeGreaterThanOrEqual(fromMs);
      expect(moment).toBeLessThanOrEqual(fromMs + 1_000 * seconds);
      if (i > 0) expect(moment - moments[i - 1]!).toBe(1_000 * step);
    }
  });
});
