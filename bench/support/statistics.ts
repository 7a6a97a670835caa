export interface Spread {
  median: number;
  min: number;
  max: number;
}

export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('no values to take the median of');
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >>> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

export function spread(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/**
 * Returns the exponent `b` of the best power law `value = a * size^b`, by least squares of logarithms: 0 is constant, 1
 * is linear. Returns 0 if all values are 0. Throws if only some values are 0, or for fewer than two sizes.
 */
export function growthExponent(points: readonly { size: number; value: number }[]): number {
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
