import type { Growth } from './layouts/layout.ts';

export interface Point {
  x: number;
  y: number;
  weight: number;
}

export interface Fit {
  /** `undecided` if there are too few different numbers of friends. */
  growth: Growth | 'undecided';
  /** Cost without friends, or the mean of a constant cost. */
  intercept: number;
  slope: number;
  /** Also set if the growth is constant. */
  slopeError: number;
  /** Root mean square of the residuals, in percent of the mean cost. */
  errorPercent: number;
  /** Difference of the corrected Akaike criteria (AICc) of both models: constant minus line. */
  evidence: number;
  /** From the shortest list to the longest, in percent of the mean. */
  risePercent: number;
}

/** With this difference of AICc, the line is 20 times as likely. */
const LEAST_EVIDENCE = 6;
/** A smaller rise may be the machine's drift. */
const LEAST_RISE_PERCENT = 10;
/** The corrected criterion needs this many points. */
const FEWEST_POINTS = 5;
/** Minimum mean square of residuals, relative to the squared mean. Smaller ones are rounding errors. */
const ROUNDING = 1e-18;

/**
 * Fits a constant and a line by weighted least squares. Chooses the line if AICc clearly prefers it and it rises by at
 * least a tenth of the mean. Source: Burnham, Anderson, "Model Selection and Multimodel Inference", section 2.4.
 */
export function fitGrowth(points: readonly Point[]): Fit {
  if (points.length === 0) throw new RangeError('no points to fit');
  const total = sum(points, ({ weight }) => weight);
  const meanX = sum(points, ({ x, weight }) => x * weight) / total;
  const meanY = sum(points, ({ y, weight }) => y * weight) / total;
  const spreadX = sum(points, ({ x, weight }) => weight * (x - meanX) ** 2);
  const slope = spreadX === 0 ? 0 : sum(points, ({ x, y, weight }) => weight * (x - meanX) * (y - meanY)) / spreadX;
  const intercept = meanY - slope * meanX;
  const constantMiss = missed(points, total, () => meanY);
  const lineMiss = missed(points, total, (x) => intercept + slope * x);
  const xs = points.map(({ x }) => x);
  const rise = slope * (Math.max(...xs) - Math.min(...xs));
  const found = {
    slopeError: points.length > 2 && spreadX > 0 ? Math.sqrt((lineMiss * total) / (points.length - 2) / spreadX) : 0,
    risePercent: percentOf(rise, meanY),
  };
  const constant = { ...found, intercept: meanY, slope: 0, errorPercent: percentOf(Math.sqrt(constantMiss), meanY) };
  if (points.length < FEWEST_POINTS) return { ...constant, growth: 'undecided', evidence: 0 };
  const evidence = criterion(points.length, constantMiss, meanY, 2) - criterion(points.length, lineMiss, meanY, 3);
  if (evidence < LEAST_EVIDENCE || found.risePercent < LEAST_RISE_PERCENT)
    return { ...constant, growth: 'O(1)', evidence };
  return { ...found, growth: 'O(n)', intercept, slope, errorPercent: percentOf(Math.sqrt(lineMiss), meanY), evidence };
}

function missed(points: readonly Point[], total: number, model: (x: number) => number): number {
  return sum(points, ({ x, y, weight }) => weight * (y - model(x)) ** 2) / total;
}

/** `parameters` includes the variance. */
function criterion(count: number, miss: number, meanY: number, parameters: number): number {
  const correction = (2 * parameters * (parameters + 1)) / (count - parameters - 1);
  return count * Math.log(Math.max(miss, ROUNDING * meanY ** 2, Number.MIN_VALUE)) + 2 * parameters + correction;
}

function percentOf(part: number, whole: number): number {
  return whole === 0 ? 0 : (100 * part) / whole;
}

function sum<T>(values: readonly T[], of: (value: T) => number): number {
  let total = 0;
  for (const value of values) total += of(value);
  return total;
}
