/** Asks for the short extent: the smallest sizes at which a benchmark still does all that it does. */
export const SHORT = 'EDGELOOM_BENCH_SHORT';

/** A size of a benchmark: the whole one for figures, the short one where a run only shows that the benchmark works. */
export function sizeOf<T>({ whole, short }: { whole: T; short: T }): T {
  return process.env[SHORT] === undefined ? whole : short;
}
