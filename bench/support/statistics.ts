/** The middle and the ends of some measurements. */
export interface Spread {
  median: number;
  min: number;
  max: number;
}

/** The median of some numbers; throws where there are none. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('no values to take the median of');
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >>> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Median, minimum and maximum of some numbers; throws where there are none. */
export function spread(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/** Something measured at one size of its input. */
export interface Sized {
  size: number;
  value: number;
}

/**
 * How a measured thing grows with the size: the exponent `b` of the power law `value = a * size^b` that fits best, the
 * least-squares slope of its logarithm over that of the size. 0 is constant, 1 linear. What is nothing at every size does
 * not grow; throws where it is nothing at some, or where there are fewer than two sizes.
 */
export function growthExponent(points: readonly Sized[]): number {
  if (points.length > 0 && points.every(({ value }) => value === 0)) return 0;
  if (points.some(({ value, size }) => value <= 0 || size <= 0))
    throw new RangeError('only positive numbers have a logarithm');
  const xs = points.map(({ size }) => Math.log(size));
  const ys = points.map(({ value }) => Math.log(value));
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [meanX, meanY] = [mean(xs), mean(ys)];
  const variance = xs.reduce((sum, x) => sum + (x - meanX) ** 2, 0);
  if (!(variance > 0)) throw new RangeError('growth needs two sizes');
  return xs.reduce((sum, x, i) => sum + (x - meanX) * (ys[i]! - meanY), 0) / variance;
}
