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
