import type { Growth } from './layouts/layout.ts';

/** Some measurements at about the same number of friends. */
export interface Point {
  /** Friends in the list. */
  x: number;
  /** What it cost. */
  y: number;
  /** How many measurements it stands for. */
  weight: number;
}

/** How a cost grows: the better of two models. */
export interface Fit {
  /** `undecided` where there are too few different numbers of friends. */
  growth: Growth | 'undecided';
  /** Cost at no friends; of a constant cost its mean. */
  intercept: number;
  /** Cost of each friend more; 0 for a constant. */
  slope: number;
  /** Standard error of the slope that the line has, taken or not. */
  slopeError: number;
  /** Root mean square of what the model misses, in percent of the mean cost. */
  errorPercent: number;
  /**
   * How much better the line explains the points than the constant does: the difference of their corrected Akaike
   * information criteria; negative where the constant is the better one.
   */
  evidence: number;
  /** What the line rises from the shortest list to the longest, in percent of the mean cost. */
  risePercent: number;
}

/** A difference of 6 makes the line 20 times as likely. */
const LEAST_EVIDENCE = 6;
/** A smaller rise over the whole range is the machine's drift, or nothing that anybody would notice. */
const LEAST_RISE_PERCENT = 10;
/** With fewer points the corrected criterion of a line has no value. */
const FEWEST_POINTS = 5;
/** What rounding may leave of a perfect fit, as a part of the squared mean: less counts as so much. */
const ROUNDING = 1e-18;

/**
 * Fits a constant and a line by weighted least squares, and takes the line only where it is clearly the better model
 * (corrected Akaike information criterion) and rises by a tenth of the mean. Source of the criterion: Burnham, Anderson,
 * "Model Selection and Multimodel Inference", section 2.4. Throws a RangeError without points.
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

/** The weighted mean square of what a model misses. */
function missed(points: readonly Point[], total: number, model: (x: number) => number): number {
  return sum(points, ({ x, y, weight }) => weight * (y - model(x)) ** 2) / total;
}

/** AICc of a least-squares fit; `parameters` counts the variance too. */
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
